/** What a session ticket must hold to be one: here it is signed with the right key, and wrong in one thing. */
import { createHmac, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { sessionTickets } from '../../../src/identity/sessions/session-tickets.ts'
import { key, manualClock } from '../../support/write-side.ts'

const MASTER = 'AAAAAAAA'
const DAY_S = 86_400
const [company, user, session] = [key('company', 1), key('user', 1), key('session', 1)]

describe('a session ticket', () => {
  const masters = new Map([[MASTER, randomBytes(32)]])
  const clock = manualClock('2026-03-10T12:00:00.000Z')
  const tickets = sessionTickets({ sealer: { deriveAll: () => masters }, now: clock.now })
  const now = () => Math.floor(clock.now() / 1_000)
  const today = () => Math.floor(now() / DAY_S)
  const keyOfDay = (day: number) => createHmac('sha256', masters.get(MASTER)!).update(String(day)).digest()

  interface Odd {
    readonly claims?: object
    readonly header?: object
    readonly without?: string
    readonly key?: Buffer
    readonly algorithm?: 'HS256' | 'HS384' | 'HS512'
  }
  /** A ticket as it should be, but for what is said. */
  const signed = ({ claims = {}, header = {}, without = '', key, algorithm = 'HS256' }: Odd = {}): string => {
    const iat = now()
    const right = {
      iat,
      exp: iat + 60,
      company,
      iss: 'daybook',
      aud: 'daybook-session',
      sub: user,
      jti: session,
    }
    const all = Object.fromEntries(
      Object.entries({ ...right, ...claims }).filter(([name]) => name !== without),
    )
    const names = { alg: algorithm, typ: 'session+jwt', kid: `${MASTER}.${today()}`, ...header }
    // By hand: a library would not sign some of these.
    const text = [names, all].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    const hash = `sha${algorithm.slice(2)}`
    const signature = createHmac(hash, key ?? keyOfDay(today())).update(text)
    return `${text}.${signature.digest('base64url')}`
  }

  it('that is right is read', () => {
    expect(tickets.read(signed())).to.include({ company, user, session })
    expect(tickets.read(tickets.issue({ company, user, session }, 10))).to.include({ company, user, session })
  })

  it('is signed with HS256 and nothing else, also by whoever has the key', () => {
    for (const algorithm of ['HS384', 'HS512'] as const)
      expect(tickets.read(signed({ algorithm }))).to.equal(undefined)
    for (const alg of ['none', 'None', 'HS512', 'RS256', 'hs256', '', null, ['HS256']])
      expect(tickets.read(signed({ header: { alg } })), String(alg)).to.equal(undefined)
    const unsigned = signed({ header: { alg: 'none' } }).replace(/[^.]*$/, '')
    expect(tickets.read(unsigned)).to.equal(undefined)
    expect(tickets.read(signed({ key: Buffer.alloc(0) }))).to.equal(undefined)
  })

  it('is of this kind, from here and for this', () => {
    for (const header of [{ typ: 'JWT' }, { typ: undefined }, { typ: 'SESSION+JWT' }])
      expect(tickets.read(signed({ header })), JSON.stringify(header)).to.equal(undefined)
    for (const claims of [
      { iss: 'other' },
      { iss: ['daybook'] },
      { iss: null },
      { aud: 'other' },
      { aud: 'daybook' },
      { aud: [] },
      { aud: { 0: 'daybook-session' } },
    ])
      expect(tickets.read(signed({ claims })), JSON.stringify(claims)).to.equal(undefined)
  })

  it('names a company, a user and a session by their Keys', () => {
    for (const claims of [
      { company: user },
      { company: [company] },
      { company: 'company-1' },
      { sub: company },
      { sub: '' },
      { sub: { $gt: '' } },
      { jti: user },
      { jti: `${session} ` },
    ])
      expect(tickets.read(signed({ claims })), JSON.stringify(claims)).to.equal(undefined)
    for (const without of ['company', 'sub', 'jti', 'iat', 'exp', 'iss', 'aud'])
      expect(tickets.read(signed({ without })), without).to.equal(undefined)
  })

  it('holds until its second and not after, and not before its time', () => {
    const ticket = signed({ claims: { exp: now() + 60 } })
    clock.pass(59_999)
    expect(tickets.read(ticket)).to.include({ session })
    clock.pass(1)
    expect(tickets.read(ticket)).to.equal(undefined)
    for (const exp of [now(), now() - 1, 0, -1, String(now() + 60), null, '9e9', true])
      expect(tickets.read(signed({ claims: { exp } })), String(exp)).to.equal(undefined)
    expect(tickets.read(signed({ claims: { nbf: now() + 1 } }))).to.equal(undefined)
    expect(tickets.read(signed({ claims: { nbf: 'soon' } }))).to.equal(undefined)
  })

  it('is signed with a key of these masters, of a day that has come and is not long past', () => {
    const ofDay = (day: number) => signed({ header: { kid: `${MASTER}.${day}` }, key: keyOfDay(day) })
    for (const ago of [31, 1, 0, -1])
      expect(tickets.read(ofDay(today() - ago)), String(ago)).to.include({ session })
    for (const ago of [32, 400, -2, -400])
      expect(tickets.read(ofDay(today() - ago)), String(ago)).to.equal(undefined)
    for (const kid of [
      `BBBBBBBB.${today()}`,
      `.${today()}`,
      MASTER,
      '',
      null,
      1,
      `${MASTER}.${today()}.x`,
      [`${MASTER}.${today()}`, 1],
    ])
      expect(tickets.read(signed({ header: { kid } })), String(kid)).to.equal(undefined)
    // Of another day the key is another.
    expect(tickets.read(signed({ header: { kid: `${MASTER}.${today() - 1}` } }))).to.equal(undefined)
  })

  it('is text of three parts and of no great length', () => {
    for (const text of [
      '',
      '.',
      '..',
      '...',
      'x',
      signed().replaceAll('.', ''),
      `${signed()}.`,
      ` ${signed()}`,
      signed({ claims: { more: 'x'.repeat(2_000) } }),
    ])
      expect(tickets.read(text), text.slice(0, 40)).to.equal(undefined)
  })
})
