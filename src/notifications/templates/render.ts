/** A template with its tags filled in: subject, HTML and text of a mail. */
import { convert } from 'html-to-text'
import { cleanHtml } from './clean-html.ts'
import { replaceTags, tagsIn } from './tags.ts'

export interface TemplateTexts {
  readonly subject: string
  readonly body: string
  readonly text?: string | undefined
  /** HTML around the body, with `{{content}}` where that comes to stand. */
  readonly layout?: string | undefined
}

export interface Rendered {
  readonly subject: string
  readonly body: string
  readonly text: string
}

/** Paths of the tags that the texts hold; of a layout none, for it has only its content. */
export function pathsIn({ subject, body, text = '' }: TemplateTexts): readonly string[] {
  return [...new Set([subject, body, text].flatMap((one) => tagsIn(one).tags.map(({ path }) => path)))]
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (one) => ESCAPES[one]!)

/** Tags stand where escaping makes them safe: that was checked when the template was uploaded. */
export function render(
  { subject, body, text, layout }: TemplateTexts,
  values: ReadonlyMap<string, string>,
): Rendered {
  const valueOf = (path: string) => values.get(path) ?? ''
  const own = cleanHtml(replaceTags(inLinks(body, valueOf), (path) => escapeHtml(valueOf(path)))).html
  // The body was filled in before: nothing that its values hold is replaced.
  const html = layout === undefined ? own : cleanHtml(replaceTags(layout, () => own)).html
  return {
    // A line break would end the header and begin another.
    subject: oneLine(replaceTags(subject, valueOf)),
    body: html,
    text: text === undefined ? textOf(html) : replaceTags(text, valueOf),
  }
}

/** In links that go on after a host, values are percent-encoded, so that they cannot lead to another path. */
function inLinks(body: string, valueOf: (path: string) => string): string {
  return body.replace(
    /(=\s*["'])(https:\/\/[^"']*\{\{[^"']*)(["'])/gi,
    (_all, before: string, link: string, after: string) =>
      `${before}${replaceTags(link, (path) => encodeURIComponent(valueOf(path).toWellFormed()))}${after}`,
  )
}

export function oneLine(text: string): string {
  // Also what other programs take for line breaks, and what turns the direction of text.
  return text
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
    .slice(0, 998)
}

function textOf(html: string): string {
  return convert(html, {
    wordwrap: 100,
    selectors: [
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
      { selector: 'img', format: 'skip' },
    ],
  })
}
