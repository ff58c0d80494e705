/** What comments and pages cite is in this repository: paths, headings, numbers of open facts. */
import { existsSync, globSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect } from 'chai'
import { anchorsOf, codeFiles, commentsOf, pages, ROOT, textOf } from './prose.ts'

/** Citations of what a reader of the repository does not have. */
const ELSEWHERE = [
  /\bspecifications?'?s?[,;]? (?:\d|section|as|points?)|\bspecification \d|\bsection \d/i,
  /\bopen facts?\b(?! of| that)/i,
  /\bquality R\d|\(R\d+\)|\bR\d+[,:] |\(R\d+,/,
  /\bdesign,? section|Beyond the specification|silent in the specification/i,
  /\b(?:issue|review) #?[A-Z]?\d/i,
]

const files = codeFiles('{src,scripts,bench,test}')
const everyPath = globSync('{src,scripts,bench,test,docs,definitions,deploy}/**/*', { cwd: ROOT })
const ends = new Set(
  everyPath.flatMap((path) => path.split('/').map((_, i, parts) => parts.slice(i).join('/'))),
)
const openFacts = new Set(
  [...textOf('docs/open-facts.md').matchAll(/^- \*\*([\d, b]+)\. /gm)].flatMap(([, numbers]) =>
    numbers!.split(', '),
  ),
)

/** A path that is written, as far as it is one of this repository's. */
const PATH = /(?<![\w./{}-])\.?(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|md|json|yml|py|go)\b(#[\w-]+)?/g

/** The citations of a text that lead nowhere. */
function nowhere(text: string): string[] {
  const lost: string[] = []
  for (const [path, anchor] of text.replaceAll(/https?:\S+/g, '').matchAll(PATH)) {
    const file = path.split('#')[0]!
    if (!ends.has(file) && !existsSync(join(ROOT, file))) lost.push(path)
    else if (anchor && file.endsWith('.md') && !anchorsOf(textOf(pathOf(file))).includes(anchor.slice(1)))
      lost.push(path)
  }
  for (const [, numbers] of text.matchAll(/docs\/open-facts\.md,? ((?:\d+b?(?:, | and | to )?)+)/g))
    for (const number of numbers!.match(/\d+b?/g)!)
      if (!openFacts.has(number)) lost.push(`docs/open-facts.md ${number}`)
  return lost
}

const pathOf = (end: string) =>
  existsSync(join(ROOT, end)) ? end : everyPath.find((path) => path.endsWith(`/${end}`))!

const citesElsewhere = (text: string) => ELSEWHERE.some((pattern) => pattern.test(text))

describe('citations', () => {
  it('of comments and titles are of this repository', () => {
    const own = files.filter((file) => !file.startsWith('test/docs/'))
    const wrong = own.filter((file) => citesElsewhere(textOf(file)))
    expect(wrong).to.deep.equal([])
  })

  it('of comments lead somewhere', () => {
    const lost = files
      .filter((file) => !file.startsWith('test/docs/'))
      .flatMap((file) =>
        commentsOf(textOf(file))
          .flatMap(nowhere)
          .map((cited) => `${file}: ${cited}`),
      )
    expect(lost).to.deep.equal([])
  })

  it('of pages lead somewhere: links, headings and paths', () => {
    const lost: string[] = []
    for (const page of pages()) {
      for (const [, to = '', anchor] of textOf(page).matchAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g)) {
        const path = to === '' ? page : normalize(join(dirname(page), to))
        if (!existsSync(join(ROOT, path))) lost.push(`${page}: ${to}`)
        else if (anchor && !anchorsOf(textOf(path)).includes(anchor.slice(1)))
          lost.push(`${page}: ${to}${anchor}`)
      }
      for (const [, path] of textOf(page).matchAll(/`((?:src|test|scripts|bench|definitions)\/[\w./-]+)`/g))
        if (!existsSync(join(ROOT, path!))) lost.push(`${page}: ${path}`)
    }
    expect(lost).to.deep.equal([])
  })

  it('that lead nowhere are found', () => {
    expect(
      nowhere('see `docs/interface.md#wrappers`, docs/open-facts.md 12, 6b and `api/app.ts`'),
    ).to.deep.equal([])
    expect(
      nowhere('see docs/interface.md#wrapper, docs/open-facts.md 12 and 999, `src/nowhere.ts`'),
    ).to.deep.equal(['docs/interface.md#wrapper', 'src/nowhere.ts', 'docs/open-facts.md 999'])
    for (const text of ['specification 4.1', 'open fact 26', 'quality R6', 'design section 6', '(R13)'])
      expect(citesElsewhere(text), text).to.equal(true)
  })
})
