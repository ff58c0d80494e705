/**
 * The content of the session cookie: a JWT, always signed with HS256. It names the session and its user and says when it
 * expires; whether the session is still valid is in the session's own record.
 *
 * The signing key changes every day and is derived from the master keys, so that all processes have it. A key that is
 * older than the longest session verifies nothing any more.
 */
import { createHmac } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { Company } from '../../domain/events/event.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { Sealer } from '../secrets/sealed-secrets.ts'

export interface Ticket {
  readonly company: Company
  readonly user: string
  readonly session: string
}

/** A ticket with its times, in ms since 1970. */
export interface DatedTicket extends Ticket {
  readonly issuedAt: number
  readonly expiresAt: number
}

export interface SessionTickets {
  issue(ticket: Ticket, minutes: number): string
  /** Undefined when the text is not a valid ticket, whatever the reason. */
  read(text: string): DatedTicket | undefined
}

const ISSUER = 'daybook'
const AUDIENCE = 'daybook-session'
const TYPE = 'session+jwt'
const DAY_MS = 86_400_000
/** The longest timeout of a company, and a day for clocks that differ. */
const KEY_LIFE_DAYS = 31
const MAX_LENGTH = 2_000

export function sessionTickets({
  sealer,
  now,
}: {
  readonly sealer: Pick<Sealer, 'deriveAll'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}): SessionTickets {
  const keys = new Map<string, Buffer>()

  const dayOf = (time: number) => Math.floor(time / DAY_MS)

  /** The key with that name, when it may still be used. */
  const keyNamed = (kid: unknown): Buffer | undefined => {
    const [, master = '', day = ''] = /^([\w-]{8})\.(\d{1,6})$/.exec(String(kid)) ?? []
    const age = dayOf(now()) - Number(day)
    if (master === '' || age > KEY_LIFE_DAYS || age < -1) return undefined
    const known = keys.get(`${master}.${day}`)
    if (known) return known
    const from = sealer.deriveAll('sessions').get(master)
    if (!from) return undefined
    const key = createHmac('sha256', from).update(day).digest()
    if (keys.size > 10 * KEY_LIFE_DAYS) keys.clear()
    keys.set(`${master}.${day}`, key)
    return key
  }

  return {
    issue({ company, user, session }, minutes) {
      const time = now()
      const kid = `${[...sealer.deriveAll('sessions').keys()][0]}.${dayOf(time)}`
      const seconds = Math.floor(time / 1000)
      return jwt.sign({ iat: seconds, exp: seconds + minutes * 60, company }, keyNamed(kid)!, {
        algorithm: 'HS256',
        issuer: ISSUER,
        audience: AUDIENCE,
        subject: user,
        jwtid: session,
        header: { alg: 'HS256', typ: TYPE, kid },
      })
    },
    read(text) {
      if (text.length > MAX_LENGTH) return undefined
      try {
        const key = keyNamed(headerOf(text).kid)
        if (!key) return undefined
        const { header, payload } = jwt.verify(text, key, {
          algorithms: ['HS256'],
          issuer: ISSUER,
          audience: AUDIENCE,
          clockTimestamp: Math.floor(now() / 1000),
          complete: true,
        })
        return header.typ === TYPE ? ticketOf(payload) : undefined
      } catch {
        return undefined
      }
    },
  }
}

function headerOf(text: string): { readonly kid?: unknown } {
  const first = text.slice(0, Math.max(0, text.indexOf('.')))
  return JSON.parse(Buffer.from(first, 'base64url').toString()) as { kid?: unknown }
}

/** Undefined when a claim is missing or malformed. */
function ticketOf(payload: string | jwt.JwtPayload): DatedTicket | undefined {
  if (typeof payload === 'string') return undefined
  const { company, sub, jti, iat, exp } = payload as jwt.JwtPayload & { company?: unknown }
  if (typeof company !== 'string' || !isKeyOf('company', company)) return undefined
  if (!isKeyOf('user', sub ?? '') || !isKeyOf('session', jti ?? '')) return undefined
  if (typeof iat !== 'number' || typeof exp !== 'number') return undefined
  return { company, user: sub!, session: jti!, issuedAt: iat * 1000, expiresAt: exp * 1000 }
}
