/** Property: in whatever order, however often and however overlapping statements come, each line is there once. */
import { expect } from 'chai'
import fc from 'fast-check'
import { testService, type TestService } from '../support/service.ts'
import { imported } from '../imports/import-support.ts'
import { camt, closingOf, mt940, type MadeLine, type MadeStatement } from '../imports/bank/statements.ts'
import { rounds } from '../support/rounds.ts'

const TEXT = { 'Content-Type': 'application/octet-stream' }
const RUNS = rounds(3, 6)

/** A few days of lines, of which several are equal, some with references of the bank. */
const someDays = fc.array(
  fc.array(
    fc.record({
      amount: fc.constantFrom('1.00', '2.50', '-1.00'),
      text: fc.constantFrom('coffee', 'rent'),
      reference: fc.constantFrom('A', 'B', undefined),
    }),
    { maxLength: 4 },
  ),
  { minLength: 2, maxLength: 4 },
)

/** Which days each file has, from the first to the last of the two; whether as MT940. */
const someFiles = fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.boolean()), { minLength: 1, maxLength: 4 })

describe('bank lines', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  it('are there once, whatever the order, the overlaps and the repeats of their statements', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(someDays, someFiles, async (made, files) => {
        const Iban = `NL00TEST${String(++run).padStart(10, '0')}`
        const own = await service.create('bankaccount', { Name: Iban, Iban })
        const days: MadeStatement[] = []
        for (const [i, lines] of made.entries()) {
          const day = `2029-05-${String(i + 1).padStart(2, '0')}`
          const whole = lines.map((line) => ({ ...line, day }) as MadeLine)
          const before = days.at(-1)
          const opening = before ? closingOf(before) : '100.00'
          days.push({ account: Iban, number: String(i + 1), opening, lines: whole, from: day, to: day })
        }
        const spans = [...files, ...days.map((_, i) => [i, i, false] as const)]
        for (const [a, b, together] of spans) {
          const part = days.slice(Math.min(a, b), Math.max(a, b) + 1)
          if (part.length === 0) continue
          const [first, last] = [part[0]!, part.at(-1)!]
          const one = { ...first, lines: part.flatMap(({ lines }) => lines), to: last.to! }
          const text = together ? camt([one]) : camt(part)
          const done = await imported(service, 'bankstatement/import?commit=true&again=true', text, TEXT)
          expect(done['State'], JSON.stringify(done)).to.equal('Completed')
        }
        // All of it in another format adds nothing.
        const other = await imported(service, 'bankstatement/import?commit=true', mt940(days), TEXT)
        expect(other['State']).to.equal('Completed')
        const filter = `BankAccount eq '${own.Id}'`
        const { list } = await service.list('banktransaction', { filter, pageSize: '100' })
        const shown = (lines: readonly { day: string; amount: string; text: string }[]) =>
          lines.map(({ day, amount, text }) => `${day} ${Number(amount)} ${text}`).sort()
        const found = list.map(({ BookingDate, Amount, RemittanceInformation }) => ({
          day: BookingDate as string,
          amount: String((Amount as { Amount: number }).Amount),
          text: RemittanceInformation as string,
        }))
        expect(shown(found)).to.deep.equal(shown(days.flatMap(({ lines }) => lines)))
      }),
      { numRuns: RUNS, seed: 7 },
    )
  })
})
