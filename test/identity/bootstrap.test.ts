import { expect } from 'chai'
import { identifiers } from '../../src/commands/identifiers.ts'
import { Unavailable } from '../../src/domain/errors.ts'
import { isKeyOf } from '../../src/domain/key.ts'
import { bootstrap } from '../../src/identity/bootstrap.ts'
import { manualClock } from '../support/write-side.ts'
import {
  memoryEventStore,
  memoryLog,
  type Interference,
  type MemoryLog,
} from '../support/memory-event-store.ts'

const TOKEN = 'some-token-0123456789'
const clock = manualClock()
const names = identifiers(clock)

interface Start {
  readonly log?: MemoryLog
  readonly interference?: Interference
  readonly company?: string
  readonly token?: string | undefined
}

/** One start of the service. */
const start = ({ log = memoryLog(), interference = {}, company = 'Zoë & Co', token }: Start = {}) =>
  bootstrap({ events: memoryEventStore({ log, interference }), identifiers: names, clock, company, token })

const typesIn = (log: MemoryLog) => log.all().map(({ type }) => type)

describe('the first start of an empty store', () => {
  it('makes a company, and the token that was given for its administrator', async () => {
    const log = memoryLog()
    const { company, authenticate, generatedToken } = await start({ log, token: TOKEN })
    expect(isKeyOf('company', company)).to.equal(true)
    expect(generatedToken).to.equal(undefined)
    const principal = authenticate(TOKEN)
    expect(principal).to.deep.include({ company, name: 'bootstrap', roles: ['system_admin', 'operator'] })
    expect(isKeyOf('token', principal!.actor)).to.equal(true)
    expect(typesIn(log)).to.have.members(['bootstrap.completed', 'company.created', 'token.created'])
    expect(log.all().find(({ type }) => type === 'company.created')).to.deep.include({
      stream: company,
      data: { Name: 'Zoë & Co' },
    })
  })

  it('makes up a token where none was given, another each time, that nobody guesses', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => start()))
    for (const { authenticate, generatedToken } of tokens) {
      expect(generatedToken).to.match(/^daybook_[\w-]{32}$/)
      expect(authenticate(generatedToken!)).to.not.equal(undefined)
    }
    expect(new Set(tokens.map(({ generatedToken }) => generatedToken)).size).to.equal(20)
  })

  it('knows no other token, however close', async () => {
    const { authenticate } = await start({ token: TOKEN })
    const others = ['', TOKEN.slice(1), `${TOKEN} `, TOKEN.toUpperCase(), 'some-token-0123456788']
    const before = others.map(authenticate)
    authenticate(TOKEN)
    for (const principal of [...before, ...others.map(authenticate)]) expect(principal).to.equal(undefined)
  })

  it('stores the token only as a hash', async () => {
    const log = memoryLog()
    const { generatedToken } = await start({ log })
    await start({ log: memoryLog(), token: TOKEN })
    expect(JSON.stringify(log.all())).to.not.include(generatedToken!.slice(-20))
  })
})

describe('a later start', () => {
  it('finds company and token again, whatever it is given, and shows no token', async () => {
    const log = memoryLog()
    const first = await start({ log, token: TOKEN })
    const stored = log.rows.length
    for (const token of [TOKEN, undefined, 'another-token-0123456789']) {
      const { authenticate, ...later } = await start({ log, token, company: 'Other' })
      expect(later).to.deep.equal({ company: first.company })
      expect(authenticate(TOKEN)).to.deep.equal(first.authenticate(TOKEN))
      expect(authenticate('another-token-0123456789')).to.equal(undefined)
    }
    expect(log.rows).to.have.length(stored)
  })

  it('takes a token that was generated', async () => {
    const log = memoryLog()
    const { generatedToken } = await start({ log })
    expect((await start({ log })).authenticate(generatedToken!)).to.not.equal(undefined)
  })
})

describe('a first start that dies', () => {
  const appends = [1, 2, 3] as const
  for (const dying of appends)
    for (const when of ['before', 'after'] as const)
      it(`${when} its append ${dying} is completed by the next`, async () => {
        const log = memoryLog()
        let count = 0
        const interference: Interference = {
          [when]: () => {
            if (++count === dying) throw new Unavailable('the process died')
          },
        }
        const outcome = await start({ log, interference, token: TOKEN }).catch((error: unknown) => error)
        expect(outcome).to.be.instanceOf(Unavailable)
        const { company, authenticate } = await start({ log, token: TOKEN })
        expect(authenticate(TOKEN)?.company).to.equal(company)
        expect(typesIn(log).toSorted()).to.deep.equal([
          'bootstrap.completed',
          'company.created',
          'token.created',
        ])
        const again = await start({ log, token: TOKEN })
        expect([again.company, log.rows.length]).to.deep.equal([company, 3])
      })
})

describe('two first starts at once', () => {
  it('agree on one company and one token; only the one whose token it is shows it', async () => {
    const log = memoryLog()
    const both = await Promise.all([start({ log }), start({ log })])
    expect(both[0].company).to.equal(both[1].company)
    const shown = both.flatMap(({ generatedToken }) => generatedToken ?? [])
    expect(shown).to.have.length(1)
    for (const { authenticate } of both) expect(authenticate(shown[0]!)).to.not.equal(undefined)
    expect(typesIn(log).toSorted()).to.deep.equal(['bootstrap.completed', 'company.created', 'token.created'])
  })

  it('of which one was given the token and the other is not: the stored one counts for both', async () => {
    const log = memoryLog()
    const [one, other] = await Promise.all([
      start({ log, token: TOKEN }),
      start({ log, token: 'other-token-0123456789' }),
    ])
    const known = [TOKEN, 'other-token-0123456789'].filter((token) => one.authenticate(token))
    expect(known).to.have.length(1)
    expect(other.authenticate(known[0]!)).to.deep.equal(one.authenticate(known[0]!))
  })
})
