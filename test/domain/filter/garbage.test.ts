/** What holds for every text that is no filter. */
import { expect } from 'chai'
import fc from 'fast-check'
import { Invalid } from '../../../src/domain/errors.ts'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import { sampleDefinition, sampleDefinitions } from '../../support/sample-definitions.ts'

const contract = sampleDefinition('contract')

/** What is wrong with a text, or undefined when it is a filter. Anything thrown but Invalid fails the test. */
function faultOf(text: string, definition = contract): string | undefined {
  try {
    parseFilter(text, definition, sampleDefinitions)
    return undefined
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    expect(error.faults.map(({ Field }) => Field)).to.deep.equal(['filter'])
    return error.faults[0]!.Message
  }
}

describe('every text that is no filter', () => {
  const words = "and or not eq in null true contains tolower ( ) , / ' '' 'a' 5 -1 2026-01-31 1e9 = \" $"
  const fields = 'Status Tenant/Name AutoRenews Terms'
  const pieces = [...words.split(' '), ...fields.split(' '), '\0', ' ']
  const anyGarbage = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((some) => some.join(' ')),
    fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((some) => some.join('')),
    fc.array(fc.nat(0xffff), { maxLength: 50 }).map((units) => String.fromCharCode(...units)),
  )

  it('is refused as Invalid, at a place within it', () =>
    fc.assert(
      fc.property(anyGarbage, (text) => {
        const fault = faultOf(text)
        if (fault === undefined) return
        const [, place] = / at (\d+)(;|$)/.exec(fault) ?? []
        expect(Number(place), fault).to.be.within(1, text.length + 1)
      }),
      { numRuns: 2_000 },
    ))

  it('is refused at the word that is wrong, whatever stands before it', () => {
    /** The text up to the wrong word, and the rest from there. */
    const broken: readonly (readonly [string, string])[] = [
      ['', 'Statsu eq 1'],
      ['', 'Terms eq null'],
      ['Tenant/', "Nam eq 'x'"],
      ['Status ', "likes 'x'"],
      ['Tenant ', "lt 'tenant-1'"],
      ['Status eq ', '5'],
      ['Duration eq ', "'5'"],
      ['contains(', "Tenant, 'x')"],
      ['contains(Notes ', "'x')"],
      ["Status in ('a', ", '5)'],
      ["tolower(Notes) eq 'x' ", 'Notes'],
      ['Status eq ', "'x"],
      ['AutoRenews ', '§'],
      ['not ', 'Duration eq 5'],
    ]
    const before = [
      '',
      '( ',
      "Notes eq 'it''s (😀' and ",
      'not (Duration in (1, 2)) or not (',
      'AutoRenews\nand\t(',
    ]
    for (const text of before)
      for (const [start, rest] of broken)
        expect(faultOf(text + start + rest)).to.match(
          new RegExp(` at ${text.length + start.length + 1}(;|$)`),
        )
  })

  it('takes no time to speak of, however it was made', () => {
    const long = 4_096
    const filled = (start: string, unit: string, end = '') =>
      start + unit.repeat((long - start.length - end.length) / unit.length) + end
    const worst = [
      filled('', '('),
      filled('', 'not '),
      filled("Notes eq '", "''"),
      filled("Notes eq '", "''", "'"),
      filled('', "'"),
      filled('', "''"),
      filled('', 'a'),
      filled('', 'Tenant/'),
      filled('Tenant', '/Guarantor'),
      filled('Duration eq ', '0'),
      filled('Duration eq -', '1', 'x'),
      filled('Duration eq 1e', '1'),
      filled('Duration eq 0.', '0'),
      filled('Duration in (', '1,', '1)'),
      filled("tolower(Notes) in ('a'", ",'a'", ')'),
      filled('', ' '),
      filled('', 'AutoRenews or '),
      filled('', 'Stauts eq 1 or '),
      filled('Notes eq 5', ';'),
      filled('AutoRenews ', '='),
      '😀'.repeat(long / 4),
      Array(25).fill("not (contains(Tenant/Guarantor/Name, 'x') or Duration in (1,2))").join(' and '),
    ]
    // Names that all look much like the one that is wrong.
    const fields = Array.from({ length: 200 }, (_, i) => ({
      name: `F${'ab'.repeat(14)}${i}`,
      type: 'text' as const,
    }))
    const wide = { ...contract, fields }
    for (const text of [...worst, `G${'ba'.repeat(14)}xx eq 1`]) {
      // Computing of this thread: what the machine does besides does not count. Of several, as it is counted in steps of milliseconds.
      const before = process.threadCpuUsage()
      for (let run = 0; run < 8; run++) faultOf(text, text.startsWith('G') ? wide : contract)
      const { user, system } = process.threadCpuUsage(before)
      expect((user + system) / 1_000, text.slice(0, 40)).to.be.below(100)
    }
  })
})
