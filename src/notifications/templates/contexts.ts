/**
 * Where tags stand in the HTML of a body. Escaping makes a value safe as text and inside a quoted attribute, and nowhere
 * else: tags anywhere else are refused when the template is uploaded, so that no value is ever rendered there.
 */
import { Parser } from 'htmlparser2'
import type { Tag } from './tags.ts'

export interface ContextFault {
  readonly path: string
  readonly at: number
  readonly message: string
}

/** Attributes that a browser or mail program follows. */
const FOLLOWED = ['href', 'src', 'action', 'background', 'cite', 'formaction', 'poster', 'srcset']
/** What may stand before a tag in those: everything after it is then a path of a known host. */
const SAFE_START = /^https:\/\/[^/{}?#]+\/[^{}]*$/i

/** Faults of tags that stand where no value is safe. @param isUrl whether the tag's field holds checked URLs only */
export function contextFaults(
  body: string,
  tags: readonly Tag[],
  isUrl: (path: string) => boolean,
): readonly ContextFault[] {
  const { marked, mark } = withMarks(body, tags)
  const found = safeTags(marked, mark, tags, isUrl)
  return tags.flatMap(({ path, at }, index) => (found.has(index) ? [] : [{ path, at, message: MESSAGE }]))
}

/** Tags that stand in text, and not in an attribute. */
export function tagsInText(body: string, tags: readonly Tag[]): readonly Tag[] {
  const { marked, mark } = withMarks(body, tags)
  const found = new Set<number>()
  const marks = new RegExp(`${mark}(\\d+)z`, 'g')
  parse(marked, { ontext: (text) => numbersIn(text, marks).forEach((number) => found.add(number)) })
  return tags.filter((_tag, index) => found.has(index))
}

/** Each tag becomes a word that HTML does not know, so that the parser says where it came to stand. */
function withMarks(body: string, tags: readonly Tag[]) {
  const mark = markFor(body)
  let marked = ''
  let end = 0
  for (const [index, { at, length }] of tags.entries()) {
    marked += `${body.slice(end, at)}${mark}${index}z`
    end = at + length
  }
  return { marked: marked + body.slice(end), mark }
}

const numbersIn = (text: string, marks: RegExp) => [...text.matchAll(marks)].map((match) => Number(match[1]))

/** Within these, text is not what is shown. */
const NOT_TEXT = ['script', 'style', 'title', 'textarea', 'noscript', 'template']

/** Goes through the HTML; of its text only what is shown. */
function parse(html: string, on: { ontext(text: string): void; onattribute?: OnAttribute }): void {
  const within: string[] = []
  const parser = new Parser({
    onopentag: (name) => void within.push(name),
    onclosetag: () => void within.pop(),
    ...(on.onattribute && { onattribute: on.onattribute }),
    ontext(text) {
      if (!within.some((name) => NOT_TEXT.includes(name))) on.ontext(text)
    },
  })
  parser.write(html)
  parser.end()
}
type OnAttribute = (name: string, value: string, quote?: string | null) => void

const MESSAGE =
  'may stand in text or in a quoted attribute; in links only after https://<host>/ or as a field of type url alone; ' +
  'never in styles, scripts, comments, event handlers or names'

function safeTags(
  marked: string,
  mark: string,
  tags: readonly Tag[],
  isUrl: (path: string) => boolean,
): ReadonlySet<number> {
  const safe = new Set<number>()
  const marks = new RegExp(`${mark}(\\d+)z`, 'g')
  parse(marked, {
    ontext: (text) => numbersIn(text, marks).forEach((number) => safe.add(number)),
    onattribute(name, value, quote) {
      if (quote !== '"' && quote !== "'") return
      if (name.startsWith('on') || ['style', 'srcdoc', 'srcset'].includes(name)) return
      for (const number of numbersIn(value, marks)) {
        if (!FOLLOWED.includes(name)) safe.add(number)
        else if (value === `${mark}${number}z` && isUrl(tags[number]!.path)) safe.add(number)
        else if (SAFE_START.test(value.slice(0, value.indexOf(`${mark}${number}z`)).replace(marks, ''))) {
          safe.add(number)
        }
      }
    },
  })
  return safe
}

/** A word that the text does not hold. */
function markFor(text: string): string {
  for (let count = 0; ; count++) {
    const mark = `daybooktag${count}x`
    if (!text.toLowerCase().includes(mark)) return mark
  }
}
