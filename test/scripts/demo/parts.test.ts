import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import fc from 'fast-check'
import { quoted } from '../../../scripts/demo/commands-to-try.ts'
import {
  companyOfSize,
  contractBody,
  leaseOf,
  monthsAfter,
  type Company,
} from '../../../scripts/demo/company.ts'
import { progress } from '../../../scripts/demo/progress.ts'
import { randomOf } from '../../../scripts/demo/random.ts'
import {
  assignments,
  completions,
  decisions,
  deletions,
  indexations,
  letsOf,
  payments,
  renames,
  settlements,
  submissions,
  terminations,
} from '../../../scripts/demo/year.ts'

const company = companyOfSize(1, { number: 1, today: '2026-07-01' })
const keysOf = (object: string, length: number) => Array.from({ length }, (_, i) => `${object}-${i}`)

describe('the demo company', () => {
  const keys = {
    building: keysOf('building', company.buildings),
    unit: keysOf('unit', company.units),
    tenant: keysOf('tenant', company.tenants),
  }

  it('is the same whenever it is made', () => {
    const contract = fc.integer({ min: 0, max: company.contracts - 1 })
    fc.assert(
      fc.property(contract, (i) => {
        expect(contractBody(company, i, keys)).to.deep.equal(contractBody(company, i, keys))
      }),
    )
    expect(randomOf('a').next()).not.to.equal(randomOf('b').next())
  })

  it('lets no unit twice at a time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: company.units - 1 }), (unit) => {
        const leases = Array.from({ length: 10 }, (_, turn) => leaseOf(company, turn * company.units + unit))
        leases.slice(1).forEach(({ start }, i) => {
          const [year, month, day] = leases[i]!.start.split('-').map(Number)
          const end = new Date(Date.UTC(year!, month! - 1 + leases[i]!.months, day))
            .toISOString()
            .slice(0, 10)
          expect(start >= end, `${leases[i]!.start} for ${leases[i]!.months} months, then ${start}`).to.equal(
            true,
          )
        })
      }),
    )
  })

  it('points only to what there is, at any size', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 0.3, noNaN: true }), fc.nat(), (scale, n) => {
        const small: Company = companyOfSize(scale, company)
        const body = contractBody(small, n % small.contracts, {
          building: keysOf('building', small.buildings),
          unit: keysOf('unit', small.units),
          tenant: keysOf('tenant', small.tenants),
        })
        for (const lookup of ['Building', 'Unit', 'Tenant']) expect(body[lookup], lookup).to.be.a('string')
      }),
    )
  })

  it('counts months over the turn of the year', () => {
    expect(monthsAfter('2026-11-01', 3)).to.equal('2027-02-01')
    expect(monthsAfter('2026-01-01', -1, 15)).to.equal('2025-12-15')
    expect(monthsAfter('2028-02-01', 1, 0)).to.equal('2028-02-29')
  })
})

describe("the demo company's year", () => {
  const lets = letsOf(company, keysOf('contract', company.contracts))
  const tenants = keysOf('tenant', company.tenants)
  const submitted = submissions(lets)
  const assigned = assignments(keysOf('workorder', 100))

  it('gives a reason for every change', () => {
    const changes = [
      ...submitted,
      ...decisions(lets, submitted),
      ...indexations(company, lets),
      ...terminations(company, lets),
      ...settlements(company, keysOf('payment', 50)),
      ...assigned,
      ...completions(company, assigned, (key) => Number(key.split('-')[1])),
      ...renames(lets, tenants),
    ]
    expect(changes.length).to.be.above(1_000)
    for (const { reason, key } of changes) expect(reason, key).not.to.equal('')
  })

  it('deletes nothing that payments are for', () => {
    const paidFor = new Set(payments(company, lets, tenants).map(({ Contract }) => Contract))
    const { deleted, restored } = deletions(lets)
    expect(deleted.filter((key) => paidFor.has(key))).to.be.empty
    expect(deleted).to.include.members(restored)
  })

  it('raises rents to amounts that their currency has', () => {
    for (const { body } of indexations(company, lets)) {
      const { Amount, Currency } = body['MonthlyRent'] as { Amount: number; Currency: string }
      const decimals = String(Amount).split('.')[1]?.length ?? 0
      expect(decimals, `${Amount} ${Currency}`).to.be.at.most(Currency === 'ISK' ? 0 : 2)
    }
  })
})

describe('a word quoted for the shell', () => {
  it('reaches the command as it is', () => {
    const text = fc.string({ unit: fc.constantFrom(...`ab é'"$\`\\!*~#&;|<>(){}[]?=\n%`), maxLength: 30 })
    fc.assert(
      fc.property(text, (word) => {
        const { stdout } = spawnSync('sh', ['-c', `printf %s ${quoted(word)}`], { encoding: 'utf8' })
        expect(stdout).to.equal(word)
      }),
      { numRuns: 50 },
    )
  })
})

describe('the progress of the demo', () => {
  const shown = (isTTY: boolean) => {
    let text = ''
    const bar = progress({ isTTY, write: (more: string) => (text += more) })
    bar.begin('tenants', 2_000)
    bar.advance(500)
    bar.advance(1_500)
    bar.begin('nothing', 0)
    bar.end()
    return text
  }

  it('is a line a step where nobody watches', () => {
    expect(shown(false)).to.equal('tenants: 2,000\nnothing: 0\n')
  })

  it('is a bar that fills on a terminal', () => {
    const bars = shown(true)
      .split('\r')
      .filter((line) => line.includes('tenants'))
    const filled = bars.map((line) => line.split('█').length - 1)
    expect(filled).to.deep.equal([0, 8, 30])
    expect(bars.at(-1)).to.include('2,000 of 2,000')
  })
})
