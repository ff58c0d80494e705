/** Verdicts of the main thread, remembered by another one. */
import { expect } from 'chai'
import { judge, judgedElsewhere, type Judged } from '../../src/identity/judged-elsewhere.ts'
import type { Admitted, Principal } from '../../src/identity/principal.ts'
import { everything } from '../../src/rights/access.ts'
import type { Role } from '../../src/rights/role.ts'

const roles = [{ Name: 'reader', Grants: [{ Object: '*', Actions: ['read'] }] }] as unknown as readonly Role[]
const principal: Principal = {
  company: 'company-1',
  actor: 'token-1',
  person: 'token-1',
  name: 'Ada',
  companyName: 'Analytical Engines',
  roles: ['reader'],
  access: everything,
}

describe('a verdict of the main thread', () => {
  let admitted: Admitted | undefined
  const asked = judge({
    authenticate: () => admitted,
    rolesNamed: async () => roles,
    now: () => 1_000_000,
  })

  it('is good for a second, and never longer than the credential', async () => {
    admitted = { principal, until: Infinity }
    expect((await asked({ bearer: 'x' }))?.forMs).to.equal(1_000)
    admitted = { principal, until: 1_000_300 }
    expect((await asked({ bearer: 'x' }))?.forMs).to.equal(300)
  })

  it('is none where the main thread has to answer by itself', async () => {
    for (const one of [
      undefined,
      { principal, until: Infinity, renewed: 'a new cookie' },
      { principal, until: 2_000_000, tokenExpires: 2_000_000 },
    ]) {
      admitted = one
      expect(await asked({ cookie: 'x' })).to.equal(undefined)
    }
  })
})

describe('a verdict that is remembered', () => {
  let changes: number
  let now: number
  let asked: number
  let answer: () => Promise<Judged | undefined>
  const { access: _, ...known } = principal
  const judged: Judged = { principal: known, roles, forMs: 1_000 }

  const remembering = () => {
    ;[changes, now, asked] = [0, 0, 0]
    answer = async () => judged
    return judgedElsewhere({
      definitions: new Map(),
      ask: () => (asked++, answer()),
      changes: () => changes,
      elapsed: () => now,
    })
  }

  it('is asked for once, while nothing changes and its time is not over', async () => {
    const principalOf = remembering()
    const first = await principalOf({ bearer: 'x' })
    now = 999
    expect(principalOf({ bearer: 'x' })).to.equal(first)
    expect([asked, first?.access.grant('*', 'read'), first?.access.grant('*', 'operate')]).to.deep.equal([
      1,
      {},
      undefined,
    ])
    now = 1_000
    await principalOf({ bearer: 'x' })
    expect(asked).to.equal(2)
  })

  it('is not one on the other kind of credential with the same text', async () => {
    const principalOf = remembering()
    await principalOf({ bearer: 'x' })
    await principalOf({ cookie: 'x' })
    expect(asked).to.equal(2)
  })

  it('is void from the moment that something changes, also while it was asked for', async () => {
    const principalOf = remembering()
    await principalOf({ bearer: 'x' })
    answer = async () => undefined
    changes++
    expect(await principalOf({ bearer: 'x' })).to.equal(undefined)
    answer = async () => (changes++, judged)
    await principalOf({ bearer: 'x' })
    answer = async () => undefined
    expect(await principalOf({ bearer: 'x' }), 'it may be older than the change').to.equal(undefined)
  })
})
