import { expect } from 'chai'
import { LOGIN_LIMITS, loginLimits, type LoginTry } from '../../../src/api/identity/login-limits.ts'
import type { Allowances } from '../../../src/ports/allowances.ts'
import { manualClock } from '../../support/write-side.ts'

const someone: LoginTry = { address: '192.0.2.1', company: 'company-1', email: 'ada@example.com' }

describe('tries of logins', () => {
  const open = () => {
    const clock = manualClock()
    return { clock, ...loginLimits({ clock, onTrouble: () => {} }) }
  }
  /** How many are let through of so many tries, all at once. */
  const passed = (limits: ReturnType<typeof open>, tries: number, nth: (n: number) => LoginTry) =>
    Array.from({ length: tries }, (_, n) => limits.begin(nth(n))).filter((wait) => wait === undefined).length

  it('are ten a minute for an account from an address', () => {
    const limits = open()
    expect(passed(limits, 30, () => someone)).to.equal(10)
    expect(limits.begin(someone)).to.be.within(1, 60)
    expect(limits.begin({ ...someone, address: '192.0.2.2' })).to.equal(undefined)
    expect(limits.begin({ ...someone, email: 'bo@example.com' })).to.equal(undefined)
    limits.clock.pass(60_000)
    expect(passed(limits, 30, () => someone)).to.equal(10)
  })

  it('are bounded for an account, an address and a company, however they are spread', () => {
    const spread: [keyof typeof LOGIN_LIMITS, (n: number) => LoginTry][] = [
      ['account', (n) => ({ ...someone, address: `192.0.2.${n}` })],
      ['address', (n) => ({ ...someone, email: `user-${n}@example.com`, company: `company-${n}` })],
      ['company', (n) => ({ ...someone, email: `user-${n}@example.com`, address: `address ${n}` })],
    ]
    for (const [kind, nth] of spread) expect(passed(open(), 1_000, nth), kind).to.equal(LOGIN_LIMITS[kind])
  })

  it('that succeed count for the account and the company only', () => {
    const succeed = (limits: ReturnType<typeof open>, tries: number, nth: (n: number) => LoginTry) =>
      Array.from({ length: tries }, (_, n) => nth(n)).filter((login) => {
        const wait = limits.begin(login)
        if (wait === undefined) limits.succeeded(login)
        return wait === undefined
      }).length
    const limits = open()
    expect(succeed(limits, 1_000, () => someone)).to.equal(LOGIN_LIMITS.account)
    const colleague = (n: number) => ({ ...someone, email: `user-${n}@example.com` })
    expect(succeed(limits, 1_000, colleague)).to.equal(LOGIN_LIMITS.company - LOGIN_LIMITS.account)
  })

  it('that were not made count for nothing', () => {
    const limits = open()
    for (let i = 0; i < 2_000; i++) {
      expect(limits.begin(someone)).to.equal(undefined)
      limits.withdraw(someone)
    }
    expect(passed(limits, 30, () => someone)).to.equal(10)
  })

  it('that are refused cost the other limits nothing', () => {
    const limits = open()
    passed(limits, 1_000, () => someone)
    const others = (n: number) => ({ ...someone, email: `user-${n}@example.com` })
    expect(passed(limits, 1_000, others)).to.equal(LOGIN_LIMITS.address - LOGIN_LIMITS.accountFromAddress)
  })

  it('are counted in one place with other processes, which is closed once', async () => {
    let closed = 0
    const spent: string[] = []
    const shared: Allowances = {
      spend: async (spendings) => {
        spent.push(...spendings.map(({ key }) => key))
        return spendings.map(() => 0)
      },
      close: async () => void closed++,
    }
    const limits = loginLimits({ clock: manualClock(), shared, onTrouble: () => {} })
    passed({ clock: manualClock(), ...limits }, 10, () => someone)
    await limits.close()
    expect(closed).to.equal(1)
    for (const key of spent) expect(key).to.match(/^login [\w-]{43}$/)
  })
})
