import { expect } from 'chai'
import { Unavailable } from '../../src/domain/errors.ts'
import { isKeyOf } from '../../src/domain/records/key.ts'
import { bootstrap, type FirstStart } from '../../src/identity/bootstrap.ts'
import { SYSTEM } from '../../src/domain/events/event.ts'
import { tokenHash, tokenPlaces } from '../../src/identity/tokens/token-values.ts'
import {
  memoryEventStore,
  memoryLog,
  type Interference,
  type MemoryLog,
} from '../support/memory-event-store.ts'
import { manualClock, recordsIn, writeSide, type ManualClock } from '../support/write-side.ts'

const TOKEN = 'some-token-0123456789'
const PASSWORD = 'a given password'

interface Start {
  readonly log?: MemoryLog
  readonly interference?: Interference
  readonly company?: string
  readonly token?: string | undefined
  readonly password?: string | undefined
  /** Tells processes apart. */
  readonly process?: number
  readonly onlyWriter?: boolean
  readonly clock?: ManualClock
}

let processes = 0

/** One start of the service: what it was told, and what became of it. */
async function start({
  log = memoryLog(),
  interference = {},
  company: name = 'Zoë & Co',
  token,
  password,
  onlyWriter = true,
  clock = manualClock(),
}: Start = {}) {
  const shown: FirstStart[] = []
  let voided = 0
  const events = memoryEventStore({ log, interference })
  const side = writeSide({ log, interference, onlyWriter, clock, process: ++processes })
  const company = await bootstrap({
    events,
    identifiers: { newKey: side.newKey, newCommand: side.newCommand },
    clock,
    write: side.write,
    places: tokenPlaces(events),
    passwords: { hash: async (text) => `hash of ${text.length}` },
    onlyWriter,
    given: { company: name, email: 'ada@example.com', password, token },
    show: (first) => void shown.push(first),
    showVoid: () => void voided++,
    pause: async (ms) => {
      await new Promise((go) => setImmediate(go))
      clock.pass(ms)
    },
  })
  return { company, shown, voided }
}

/** The token that a value leads to, as everyone finds it. */
async function tokenOf(log: MemoryLog, value: string) {
  const place = await tokenPlaces(memoryEventStore({ log })).find(tokenHash(value))
  const token = place && recordsIn(log).get(place.key)
  return token?.state.fields['Hash'] === tokenHash(value) ? { ...place, ...token.state.fields } : undefined
}

const typesIn = (log: MemoryLog) => log.all().map(({ type }) => type)
const MADE = ['company.created', 'token.created', 'user.created']
/** What was made of records; the rest is bookkeeping. */
const madeIn = (log: MemoryLog) =>
  typesIn(log)
    .filter((type) => MADE.includes(type))
    .toSorted()

describe('the first start of an empty store', () => {
  it('makes a company, its administrator and a token, with what it was given', async () => {
    const log = memoryLog()
    const { company, shown } = await start({ log, token: TOKEN, password: PASSWORD })
    expect(isKeyOf('company', company)).to.equal(true)
    expect(shown).to.deep.equal([{ company, companyName: 'Zoë & Co', email: 'ada@example.com' }])
    expect(madeIn(log)).to.deep.equal(MADE)
    const roles = ['system_admin', 'operator']
    expect(await tokenOf(log, TOKEN)).to.deep.include({ company, Name: 'bootstrap', Roles: roles })
    const user = log.all().find(({ type }) => type === 'user.created')
    expect(user?.metadata.company).to.equal(company)
    expect(user?.data).to.include({ Email: 'ada@example.com', PasswordHash: 'hash of 16', IsActive: true })
    expect(user?.data['Roles']).to.deep.equal(roles)
    expect(recordsIn(log).get(company)?.state.fields).to.include({
      Name: 'Zoë & Co',
      SessionTimeoutMinutes: 1_440,
    })
  })

  it('makes up and shows what it was not given, another each time, that nobody guesses', async () => {
    const log = memoryLog()
    const all = await Promise.all([start({ log }), start(), start()])
    const firsts = all.flatMap(({ shown }) => shown)
    for (const { token, password } of firsts) {
      expect(token).to.match(/^daybook_[\w-]{32}$/)
      expect(password).to.match(/^[\w-]{20}$/)
    }
    expect(new Set(firsts.flatMap(({ token, password }) => [token, password])).size).to.equal(6)
    expect(await tokenOf(log, firsts[0]!.token!)).to.not.equal(undefined)
  })

  it('knows no other token, however close', async () => {
    const log = memoryLog()
    await start({ log, token: TOKEN })
    for (const other of ['', TOKEN.slice(1), `${TOKEN} `, TOKEN.toUpperCase(), 'some-token-0123456788'])
      expect(await tokenOf(log, other), other).to.equal(undefined)
  })

  it('stores neither token nor password', async () => {
    const log = memoryLog()
    const { shown } = await start({ log })
    await start({ log: memoryLog(), token: TOKEN, password: PASSWORD })
    for (const secret of [shown[0]!.token!, shown[0]!.password!])
      expect(JSON.stringify(log.all())).to.not.include(secret.slice(-12))
  })

  it('claims the address of the administrator: no other user gets it', async () => {
    const log = memoryLog()
    await start({ log })
    expect(typesIn(log)).to.include('claim.taken')
  })
})

describe('a later start', () => {
  it('finds everything again, whatever it is given, shows and stores nothing', async () => {
    const log = memoryLog()
    const first = await start({ log, token: TOKEN })
    const stored = log.rows.length
    for (const token of [TOKEN, undefined, 'another-token-0123456789']) {
      const later = await start({ log, token, company: 'Other' })
      expect(later).to.deep.equal({ company: first.company, shown: [], voided: 0 })
      expect(await tokenOf(log, 'another-token-0123456789')).to.equal(undefined)
    }
    expect(log.rows).to.have.length(stored)
  })

  it('leads to the token of a store of the first version, which had no way to it', async () => {
    const log = memoryLog()
    const { company } = await start({ log, token: TOKEN })
    const events = log.all().filter(({ stream }) => !stream.startsWith('tokenvalue-'))
    const old = memoryLog()
    const store = memoryEventStore({ log: old })
    const versions = new Map<string, number>()
    for (const event of events) {
      const expected = versions.get(event.stream) ?? 0
      await store.append({ company: event.metadata.company, stream: event.stream, expected, events: [event] })
      versions.set(event.stream, expected + 1)
    }
    expect(await tokenOf(old, TOKEN)).to.equal(undefined)
    expect((await start({ log: old })).company).to.equal(company)
    expect(await tokenOf(old, TOKEN)).to.deep.include({ company })
  })
})

describe('a first start that dies', () => {
  /** As many as a whole one makes. */
  const appends = [1, 2, 3, 4, 5, 6, 7] as const
  for (const dying of appends)
    for (const when of ['before', 'after'] as const)
      it(`${when} its append ${dying} is completed by the next, and what was shown last counts`, async () => {
        const log = memoryLog()
        let count = 0
        const interference: Interference = {
          [when]: () => {
            if (++count === dying) throw new Unavailable('the process died')
          },
        }
        const shown: FirstStart[] = []
        const outcome = await start({ log, interference }).catch((error: unknown) => error)
        expect(outcome).to.be.instanceOf(Unavailable)
        const next = await start({ log })
        shown.push(...next.shown)
        expect(madeIn(log)).to.deep.equal(MADE)
        const last = shown.at(-1)?.token
        // Where nothing is shown by the second start, the first had shown what it stored.
        if (last !== undefined) expect(await tokenOf(log, last)).to.deep.include({ company: next.company })
        else expect(typesIn(log).filter((type) => type === 'bootstrap.completed')).to.have.length(1)
        const stored = log.rows.length
        expect(await start({ log })).to.deep.include({ company: next.company, shown: [] })
        expect(log.rows).to.have.length(stored)
      })

  it('between showing and storing locks nobody out: the next shows others, and they count', async () => {
    const log = memoryLog()
    const interference: Interference = {
      before: ({ events: [event] }) => {
        if (event?.type === 'bootstrap.completed') throw new Unavailable('the process died')
      },
    }
    await start({ log, interference }).catch(() => {})
    const { shown } = await start({ log })
    expect(shown).to.have.length(1)
    expect(await tokenOf(log, shown[0]!.token!)).to.not.equal(undefined)
  })
})

describe('several first starts at once', () => {
  it('agree on one company; only the one that decides shows anything', async () => {
    const log = memoryLog()
    const clock = manualClock()
    const all = await Promise.all(Array.from({ length: 4 }, () => start({ log, onlyWriter: false, clock })))
    expect(new Set(all.map(({ company }) => company)).size).to.equal(1)
    const shown = all.flatMap((one) => one.shown)
    expect(shown).to.have.length(1)
    expect(shown[0]!.company).to.equal(all[0]!.company)
    expect(await tokenOf(log, shown[0]!.token!)).to.not.equal(undefined)
    expect(madeIn(log)).to.deep.equal(MADE)
  })

  it('do not wait for ever for one that has begun and died', async () => {
    const log = memoryLog()
    const clock = manualClock()
    const interference: Interference = {
      before: ({ events: [event] }) => {
        if (event?.type === 'bootstrap.completed') throw new Unavailable('the process died')
      },
    }
    await start({ log, interference, onlyWriter: false, clock }).catch(() => {})
    const began = clock.elapsed()
    const { shown } = await start({ log, onlyWriter: false, clock })
    expect(clock.elapsed() - began).to.be.within(10_000, 20_000)
    expect(await tokenOf(log, shown[0]!.token!)).to.not.equal(undefined)
  })

  it('of which one is so slow that another has taken over: what it has shown is void, and it says so', async () => {
    const log = memoryLog()
    const clock = manualClock()
    let other: Awaited<ReturnType<typeof start>> | undefined
    const interference: Interference = {
      before: async ({ events: [event] }) => {
        if (event?.type !== 'bootstrap.completed' || other) return
        clock.pass(60_000)
        other = await start({ log, onlyWriter: false, clock })
      },
    }
    const slow = await start({ log, interference, onlyWriter: false, clock })
    expect([slow.voided, slow.company]).to.deep.equal([1, other!.company])
    expect(await tokenOf(log, slow.shown[0]!.token!)).to.equal(undefined)
    expect(await tokenOf(log, other!.shown[0]!.token!)).to.not.equal(undefined)
  })
})

describe('what belongs to no company', () => {
  it('is in a scope that no company has', () => expect(isKeyOf('company', SYSTEM)).to.equal(false))
})
