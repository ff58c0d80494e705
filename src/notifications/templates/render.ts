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

/** What one record makes of a template: without its layout, and without a text where the template has none. */
export interface Part extends Omit<Rendered, 'text'> {
  readonly text: string | undefined
}

/** Tags stand where escaping makes them safe: that was checked when the template was uploaded. */
export function fillIn({ subject, body, text }: TemplateTexts, values: ReadonlyMap<string, string>): Part {
  const valueOf = (path: string) => values.get(path) ?? ''
  return {
    // A line break would end the header and begin another.
    subject: oneLine(replaceTags(subject, valueOf)),
    body: cleanHtml(replaceTags(inLinks(body, valueOf), (path) => escapeHtml(valueOf(path)))).html,
    text: text === undefined ? undefined : replaceTags(text, valueOf),
  }
}

/** Parts as one mail, one below the other, in their layout. */
export function joined(parts: readonly [Part, ...Part[]], layout?: string): Rendered {
  const [{ subject }, ...more] = parts
  const own = parts.map(({ body }) => body).join('<hr>')
  // The parts were filled in before: nothing that their values hold is replaced.
  const body = layout === undefined ? own : cleanHtml(replaceTags(layout, () => own)).html
  return {
    subject: more.length === 0 ? subject : `${subject} (+${more.length})`,
    body,
    text: parts.some(({ text }) => text !== undefined)
      ? parts.map(({ body: html, text = textOf(html) }) => text).join('\n\n---\n\n')
      : textOf(body),
  }
}

export const render = (texts: TemplateTexts, values: ReadonlyMap<string, string>): Rendered =>
  joined([fillIn(texts, values)], texts.layout)

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
