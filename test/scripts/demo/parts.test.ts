import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
import { demoClock } from '../../../scripts/demo/demo-clock.ts'
import { beginStore, endStore, storeIn } from '../../../scripts/demo/own-store.ts'
import { agenda, workday } from '../../../scripts/demo/year/agenda.ts'
import { raised } from '../../../scripts/demo/year/rents.ts'
import { rfReference } from '../../../scripts/demo/year/statements.ts'

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
  it('raises rents to amounts that their currency has', () => {
    const money = fc.record({
      Amount: fc.integer({ min: 1, max: 99_999 }),
      Currency: fc.constantFrom('EUR', 'ISK'),
    })
    fc.assert(
      fc.property(money, fc.integer({ min: -5, max: 9 }), (rent, rate) => {
        const { Amount, Currency } = raised(rent, rate)
        const decimals = String(Amount).split('.')[1]?.length ?? 0
        expect(decimals, `${Amount} ${Currency}`).to.be.at.most(Currency === 'ISK' ? 0 : 2)
      }),
    )
  })

  it('is done in the order of time, whatever the order in which it was put down', async () => {
    const moments = fc.array(fc.integer({ min: 1_000, max: 2_000 }), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(moments, async (all) => {
        const days = agenda()
        const seen: number[] = []
        const moved: number[] = []
        for (const at of all) days.at(at, async () => seen.push(at))
        const clock = { now: () => 0, elapsed: () => 0, moveTo: (at: number) => void moved.push(at) }
        await days.live(clock, 1_800, () => {})
        expect(seen).to.deep.equal(all.filter((at) => at < 1_800).sort((one, other) => one - other))
        expect(moved).to.deep.equal(seen)
      }),
    )
  })

  it('counts the days on which people work', () => {
    // 2026-07-04 is a Saturday.
    expect(workday('2026-07-04')).to.equal('2026-07-06')
    expect(workday('2026-07-03')).to.equal('2026-07-03')
    expect(workday('2026-07-03', 1)).to.equal('2026-07-06')
    expect(workday('2026-07-04', 5)).to.equal('2026-07-13')
  })

  it('names invoices by references that banks take', () => {
    // The example of ISO 11649.
    expect(rfReference('539007547034')).to.equal('RF18539007547034')
  })
})

describe('the clock of the demo', () => {
  it('is put forward, and never back', () => {
    const clock = demoClock(1_000_000)
    clock.moveTo(2_000_000)
    expect(clock.now()).to.be.within(2_000_000, 2_060_000)
    clock.moveTo(5)
    expect(clock.now()).to.be.within(2_000_000, 2_060_000)
  })
})

describe('the store of the demo', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'daybook-demo-'))))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('leaves a folder alone that it did not make', () => {
    writeFileSync(join(folder, 'events.db'), 'mine')
    expect(() => beginStore(folder, 1, 0)).to.throw(/holds what this demo did not make/)
    expect(readFileSync(join(folder, 'events.db'), 'utf8')).to.equal('mine')
    rmSync(join(folder, 'events.db'))
  })

  it('says whether it is whole, and is replaced when it is begun again', () => {
    const first = beginStore(folder, 1, 0)
    writeFileSync(join(folder, 'events.db'), 'of the demo')
    expect(storeIn(folder)).to.deep.equal({ ...first, isWhole: false })
    endStore(folder, first)
    expect(storeIn(folder)).to.deep.equal({ ...first, isWhole: true })
    const second = beginStore(folder, 1, 0)
    expect(existsSync(join(folder, 'events.db'))).to.equal(false)
    expect(second.token).not.to.equal(first.token)
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
