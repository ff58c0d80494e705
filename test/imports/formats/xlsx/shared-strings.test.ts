/** Shared texts: the same from memory and from a file that does not stay. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { DEFAULT_LIMITS } from '../../../../src/imports/formats/reader.ts'
import { sharedStrings } from '../../../../src/imports/formats/xlsx/shared-strings.ts'

describe('shared texts', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'daybook-texts-'))))
  after(() => rmSync(folder, { recursive: true }))

  const opened = (texts: readonly string[], inMemory?: number) => {
    async function* xml() {
      yield '<sst>'
      for (const text of texts) yield `<si><t>${text}</t></si>`
      yield '</sst>'
    }
    return sharedStrings(xml(), {
      folder,
      limits: DEFAULT_LIMITS,
      ...(inMemory !== undefined && { inMemory }),
    })
  }

  it('are what they were, in any order', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom(...'abcé€😀 '), maxLength: 200 }), { maxLength: 300 }),
        fc.constantFrom(undefined, 1),
        async (texts, inMemory) => {
          using strings = await opened(texts, inMemory)
          for (const i of [...texts.keys()].sort((a, b) => (a % 7) - (b % 7)))
            expect(strings.at(i)).to.equal(texts[i])
          for (const i of [-1, texts.length, 0.5, NaN, 1e20]) expect(strings.at(i)).to.equal(undefined)
        },
      ),
      { numRuns: 50 },
    ))

  it('go to a file when they are many, which is removed', async () => {
    const texts = Array.from({ length: 80_000 }, (_, i) => `text number ${i}`)
    const strings = await opened(texts, 1)
    expect(readdirSync(folder)).to.have.length(1)
    for (const i of [0, 1, 5_000, 65_535, 65_536, 79_999, 3]) expect(strings.at(i)).to.equal(texts[i])
    strings[Symbol.dispose]()
    expect(readdirSync(folder)).to.deep.equal([])
  })
})
