/** Turns of phrase that must not come back, in what clients, operators and readers of the code get to read. */
import { expect } from 'chai'
import { codeFiles, commentsOf, pages, proseOf, stringsOf, textOf } from './prose.ts'

/** What to write instead is in docs/contributing.md#style. */
const REFUSED: readonly RegExp[] = [
  /(?<!\bthere )\b(?:is|are|was|were) (?:no (?!longer\b|more than\b|less than\b|larger\b|older\b|later\b|earlier\b)|none\b)/i,
  /\b(?:him|her)self\b|\bwhom\b|\bwho(?:m|se)?ever\b|\bhe\b|\bshe\b/i,
  /\banew\b/i,
  /\b(?:told|tells?|telling)\b(?! \S+(?: \S+)? apart| apart)/i,
  /\bwhole number/i,
]

/** Where a message speaks of a person, it says who. */
const OF_MESSAGES: readonly RegExp[] = [/\bnobody\b/i]

/** Where one of them is right, and why. */
const ALLOWED: readonly RegExp[] = [
  // A verb that a workflow may be named by.
  /^tells?$|^told$/,
]

const refused = (text: string) =>
  !ALLOWED.some((allowed) => allowed.test(text)) && REFUSED.some((pattern) => pattern.test(text))

const refusedInMessages = (text: string) => refused(text) || OF_MESSAGES.some((pattern) => pattern.test(text))

describe('the style', () => {
  const sources = codeFiles('src')

  it('of messages and log lines is plain', () =>
    expect(sources.filter((file) => stringsOf(textOf(file)).some(refusedInMessages))).to.deep.equal([]))

  it('of comments is plain', () =>
    expect(sources.filter((file) => commentsOf(textOf(file)).map(proseOf).some(refused))).to.deep.equal([]))

  it('of pages is plain', () =>
    expect(pages().filter((page) => refused(proseOf(textOf(page))))).to.deep.equal([]))

  it('is seen where it is not', () => {
    for (const text of ['this is no valid contract', 'by whoever asks', 'it is none', 'is told'])
      expect(refused(text), text).to.equal(true)
    expect(refusedInMessages('nobody may do this')).to.equal(true)
    for (const text of [
      'is no longer there',
      'there is none',
      'cannot be told apart',
      'You cannot delete your own user.',
      'not a valid contract',
    ])
      expect(refused(text), text).to.equal(false)
  })
})
