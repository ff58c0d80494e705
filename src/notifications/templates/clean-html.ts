/** HTML as mail programs show it: what could run or load something is removed, and named. */
import sanitizeHtml from 'sanitize-html'

const ALLOWED = {
  allowedTags: [
    ...sanitizeHtml.defaults.allowedTags,
    'img',
    'center',
    'font',
    'html',
    'head',
    'body',
    'title',
  ].filter((name) => name !== 'script'),
  allowedAttributes: {
    '*': [
      'align',
      'bgcolor',
      'border',
      'class',
      'color',
      'dir',
      'height',
      'lang',
      'style',
      'title',
      'valign',
      'width',
    ],
    a: ['href', 'name', 'target', 'rel'],
    img: ['src', 'alt'],
    table: ['cellpadding', 'cellspacing', 'role'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    font: ['face', 'size'],
  },
  allowedSchemes: ['https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['cid', 'https'] },
  allowProtocolRelative: false,
  // Pictures of other servers show those who reads a mail, and when.
  exclusiveFilter: ({ tag, attribs }: { tag: string; attribs: Record<string, string> }) =>
    tag === 'img' && !attribs['src']?.startsWith('cid:'),
  allowedStyles: {
    '*': Object.fromEntries(
      `background-color border border-collapse color display font-family font-size font-style font-weight height
      letter-spacing line-height margin margin-bottom margin-left margin-right margin-top max-width padding padding-bottom
      padding-left padding-right padding-top text-align text-decoration vertical-align width`
        .split(/\s+/)
        .map((name) => [name, [/^[^()\\<>{}]*$/]]),
    ),
  },
} satisfies sanitizeHtml.IOptions

export interface Cleaned {
  readonly html: string
  /** Names of elements that were removed. */
  readonly removed: readonly string[]
}

export function cleanHtml(html: string): Cleaned {
  const cleaned = sanitizeHtml(html, ALLOWED)
  const after = countsOf(cleaned)
  const removed = [...countsOf(html)].filter(([name, count]) => (after.get(name) ?? 0) < count)
  return { html: cleaned, removed: removed.map(([name]) => name) }
}

/** How often each element is begun, and each attribute that could run something is there. */
function countsOf(html: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const match of html.matchAll(/<([a-z][a-z0-9-]*)|\s(on[a-z]+|href|src|style)\s*=/gi)) {
    const name = (match[1] ?? match[2])!.toLowerCase()
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
