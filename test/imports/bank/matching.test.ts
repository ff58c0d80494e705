/** Matching: certain where exactly one is left, proposals else; and never wrong over 2,000 lines of which the truth is known. */
import { expect } from 'chai'
import { candidates, type MatchContext } from '../../../src/imports/bank/matching.ts'
import { openItems, type OpenItem } from '../../../src/imports/bank/open-items.ts'
import type { BankLine } from '../../../src/imports/bank/statement.ts'
import { seededRandom } from '../../support/random.ts'

const line = (more: Partial<BankLine> = {}): BankLine => ({
  place: 1,
  bookingDate: '2029-04-03',
  amount: '800.00',
  currency: 'EUR',
  bankReferences: [],
  text: '',
  ...more,
})
const invoice = (key: string, more: Partial<OpenItem> = {}): OpenItem => ({
  key,
  kind: 'invoice',
  amount: '800',
  currency: 'EUR',
  dueDate: '2029-04-01',
  numbers: [],
  ...more,
})
const context = (items: readonly OpenItem[], more: Partial<MatchContext> = {}): MatchContext => ({
  items: openItems(items),
  tenantsWithAccount: (account) => (account === 'NL91' ? ['tenant-1'] : []),
  receivedWith: () => [],
  partialIsAutomatic: false,
  accountIsAutomatic: false,
  rules: [],
  ...more,
})

describe('matching a line', () => {
  const RF = 'RF18539007547034'
  const withReference = invoice('a', { reference: 'RF18 5390 0754 7034' })

  it('by a structured reference is certain when the amount is', () => {
    const certain = {
      automatic: { rule: 'reference', parts: [{ item: 'a', amount: '800.00' }] },
      proposals: [],
    }
    expect(candidates(line({ structuredReference: RF }), context([withReference]))).to.deep.equal(certain)
    expect(
      candidates(line({ text: 'rent rf18 5390 0754 7034 april' }), context([withReference])),
    ).to.deep.equal(certain)
    const less = candidates(line({ structuredReference: RF, amount: '500' }), context([withReference]))
    expect(less.proposals[0]).to.deep.equal({
      rule: 'reference',
      parts: [{ item: 'a', amount: '500' }],
      partial: true,
    })
    const allowed = context([withReference], { partialIsAutomatic: true })
    expect(candidates(line({ structuredReference: RF, amount: '500' }), allowed).automatic?.partial).to.equal(
      true,
    )
    const more = candidates(line({ structuredReference: RF, amount: '900' }), allowed)
    expect(more.automatic).to.equal(undefined)
    expect(more.proposals[0]!.parts).to.deep.equal([{ item: 'a', amount: '800' }])
  })

  it('by a reference with wrong check digits, another currency or direction is nothing', () => {
    for (const more of [
      { structuredReference: 'RF19539007547034' },
      { structuredReference: RF, currency: 'USD' },
      { structuredReference: RF, amount: '-800.00' },
    ])
      expect(candidates(line(more), context([withReference]))).to.deep.equal({ proposals: [] })
  })

  it('by a number of ours in the text is certain when it is the only one', () => {
    const items = [
      invoice('a', { numbers: ['INV-2029-000012'] }),
      invoice('b', { numbers: ['INV-2029-000013'] }),
    ]
    for (const text of ['INV-2029-000012', 'inv 2029 000012 5 april', 'Rent (INV2029000012)'])
      expect(candidates(line({ text }), context(items)).automatic?.parts[0]!.item, text).to.equal('a')
    for (const text of ['INV-2029-0000123', 'XINV-2029-000012', 'INV-2O29-000012'])
      expect(candidates(line({ text }), context(items)), text).to.deep.equal({ proposals: [] })
    const both = candidates(line({ text: 'INV-2029-000012 and INV-2029-000013' }), context(items))
    expect(both.automatic).to.equal(undefined)
    expect(both.proposals.map(({ parts }) => parts[0]!.item)).to.deep.equal(['a', 'b'])
    expect(candidates(line({ text: 'INV-2029-000012', amount: '799' }), context(items)).automatic).to.equal(
      undefined,
    )
  })

  it('by the account of a tenant is certain only where that is allowed, and there is one', () => {
    const items = [
      invoice('a', { tenant: 'tenant-1' }),
      invoice('late', { tenant: 'tenant-1', dueDate: '2029-01-01' }),
    ]
    const paid = line({ counterpartyAccount: 'NL91' })
    expect(candidates(paid, context(items)).proposals).to.have.length(1)
    const allowed = { accountIsAutomatic: true }
    expect(candidates(paid, context(items, allowed)).automatic?.parts[0]!.item).to.equal('a')
    const two = [...items, invoice('b', { tenant: 'tenant-1' })]
    expect(candidates(paid, context(two, allowed)).proposals).to.have.length(2)
  })

  it('splits over the oldest of a tenant, and guesses by names, as proposals', () => {
    const items = [
      invoice('b', { tenant: 'tenant-1', amount: '300', dueDate: '2029-02-01' }),
      invoice('a', { tenant: 'tenant-1', amount: '500.00', dueDate: '2029-01-01' }),
    ]
    expect(
      candidates(line({ counterpartyAccount: 'NL91' }), context(items, { accountIsAutomatic: true })),
    ).to.deep.equal({
      proposals: [
        {
          rule: 'several',
          parts: [
            { item: 'a', amount: '500.00' },
            { item: 'b', amount: '300' },
          ],
        },
      ],
    })
    const named = [invoice('a', { tenantName: 'Piet Jansen' }), invoice('b', { tenantName: 'Anne Koc' })]
    expect(
      candidates(line({ counterpartyName: 'P. JANSEN' }), context(named)).proposals.map(
        ({ parts }) => parts[0]!.item,
      ),
    ).to.deep.equal(['a'])
  })

  it('takes back a payment whose debit came back, and follows the rules of the account', () => {
    const receivedWith = () => [{ payment: 'payment-1', amount: '800.00' }]
    const back = line({ amount: '-800', isReversal: true, endToEndId: 'PAY-1' })
    expect(candidates(back, context([], { receivedWith })).automatic).to.deep.equal({
      rule: 'returned',
      parts: [],
      payment: 'payment-1',
    })
    expect(candidates({ ...back, amount: '-799' }, context([], { receivedWith }))).to.deep.equal({
      proposals: [],
    })
    const rules = [{ contains: 'account fee', as: 'Fee' as const }]
    expect(
      candidates(line({ amount: '-5', text: 'ACCOUNT FEE April' }), context([], { rules })).automatic?.as,
    ).to.equal('Fee')
  })
})

interface Known {
  readonly line: BankLine
  /** The item that it was paid for; undefined: nothing of ours. */
  readonly truth: string | undefined
}

/** Tenants with equal rents, invoices of some months, and payers as they are: exact, sloppy, wrong or strangers. */
function oracle(count: number): { items: OpenItem[]; lines: Known[] } {
  const { next: random } = seededRandom(29)
  const pick = <One>(all: readonly One[]): One => all[Math.floor(random() * all.length)]!
  const items = Array.from({ length: count }, (_, i): OpenItem => {
    const tenant = i % 300
    const body = String(1000 + i)
    const check = String(98n - (BigInt(`${body}271500`) % 97n)).padStart(2, '0')
    return invoice(`invoice-${i}`, {
      tenant: `tenant-${tenant}`,
      tenantName: `Family${tenant} Jansen${tenant}`,
      amount: `${pick([650, 700, 800])}.00`,
      dueDate: `2029-0${1 + Math.floor(i / 300)}-01`,
      reference: `RF${check}${body}`,
      numbers: [`INV-2029-${String(i).padStart(6, '0')}`],
    })
  })
  const lines = items.map((item, i): Known => {
    const paid = line({
      place: i,
      amount: item.amount,
      bookingDate: item.dueDate!,
      counterpartyName: item.tenantName!,
    })
    const account = `IBAN-${item.tenant}`
    switch (Math.floor(random() * 9)) {
      case 0:
        return { truth: item.key, line: { ...paid, structuredReference: item.reference! } }
      case 1:
        return {
          truth: item.key,
          line: { ...paid, text: `rent ${item.reference!.replaceAll(/(.{4})/g, '$1 ')}thanks` },
        }
      case 2:
        return {
          truth: item.key,
          line: { ...paid, text: `Betreft ${item.numbers[0]!.replaceAll('-', ' ').toLowerCase()} 3 apr` },
        }
      case 3:
        return { truth: item.key, line: { ...paid, counterpartyAccount: account } }
      case 4: {
        // One digit wrong: the reference of another, or of none.
        const at = 4 + Math.floor(random() * 3)
        const wrong = `${item.reference!.slice(0, at)}${Math.floor(random() * 10)}${item.reference!.slice(at + 1)}`
        return { truth: item.key, line: { ...paid, structuredReference: wrong } }
      }
      case 5:
        return {
          truth: undefined,
          line: { ...paid, text: 'gift from grandmother', counterpartyName: 'A Stranger' },
        }
      case 6:
        return {
          truth: undefined,
          line: { ...paid, text: `order 12${i} of INV-2028-00${i}`, counterpartyName: 'Webshop' },
        }
      case 7:
        return { truth: item.key, line: { ...paid, amount: '123.45', text: item.numbers[0]! } }
      default:
        return { truth: item.key, line: { ...paid, text: 'rent' } }
    }
  })
  return { items, lines }
}

describe('matching 2,000 lines of which the truth is known', () => {
  const { items, lines } = oracle(2_000)
  const payers = {
    tenantsWithAccount: (account: string) => [account.replace('IBAN-', '')],
    accountIsAutomatic: true,
  }
  const decided = (all: readonly OpenItem[]) => {
    const known = context(all, payers)
    return lines.map((one) => candidates(one.line, known))
  }

  it('is right wherever it is certain', () => {
    const results = decided(items)
    const certain = results.flatMap(({ automatic }, i) =>
      automatic ? [{ found: automatic.parts[0]!.item, truth: lines[i]!.truth, rule: automatic.rule }] : [],
    )
    expect(certain.filter(({ found, truth }) => found !== truth)).to.deep.equal([])
    const payable = lines.filter(({ truth }) => truth !== undefined).length
    const proposed = results.filter(({ proposals }, i) =>
      proposals.some(({ parts }) => parts.some(({ item }) => item === lines[i]!.truth)),
    ).length
    console.log(`      of ${payable} that are ours: ${certain.length} certain, ${proposed} proposed rightly`)
    expect(certain.length).to.be.above(600)
  })

  it('is the same again, whatever the order of the items', () =>
    expect(decided(items.toReversed())).to.deep.equal(decided(items)))
})
