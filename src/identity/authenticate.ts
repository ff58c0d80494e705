/**
 * Who a request comes from. Everything that decides it (token, session, user, company) is looked at as it is now, for
 * each request; what it came to last time is only used while all of that is still the same.
 */
import type { Company } from '../domain/events/event.ts'
import type { Fields } from '../domain/json.ts'
import { recentlyUsed, type RecentlyUsed } from '../domain/recently-used.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { Access } from '../rights/access.ts'
import type { CurrentStates } from './current-states.ts'
import { inTime, STORE_TIMEOUT_MS } from './in-time.ts'
import type { Admitted, Authenticate, Principal } from './principal.ts'
import type { DatedTicket, SessionTickets } from './sessions/session-tickets.ts'
import { sessionPrincipal, tokenPrincipal } from './credentials.ts'
import { timeoutOf } from './identity-state.ts'
import { tokenHash, type TokenPlace, type TokenPlaces } from './tokens/token-values.ts'

export interface AuthenticateOptions {
  readonly current: CurrentStates
  readonly tickets: SessionTickets
  readonly places: Pick<TokenPlaces, 'find'>
  readonly accessOf: (company: Company, roles: readonly string[]) => Access | Promise<Access>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A token was used at that time. */
  readonly used: (place: TokenPlace, token: Fields, time: number) => void
}

/** What a credential came to: true while all of this is as it was. */
interface Known {
  readonly company: Company
  /** Keys of what decided it, and their states. */
  readonly of: readonly { readonly key: string; readonly state: RecordState }[]
  readonly principal: Principal
  /** It holds from then, until then, in ms since 1970. */
  readonly from: number
  readonly until: number
  /** With what the answer has to tell at that time. */
  readonly admitted: (principal: Principal, time: number) => Admitted
}

const CAPACITY = 10_000
const DAY_MS = 86_400_000
/** Of its last so many days the end of a token, or of the value that it was told by, is told (open fact 25). */
const NEAR_DAYS = 14
/** A sliding session is renewed when this part of its time has passed. */
const RENEWED_AFTER = 0.1

export function authenticate(options: AuthenticateOptions): Authenticate {
  const { current, tickets, places, accessOf, now, used } = options
  // By the credentials themselves, which are hashed only when they are not known.
  const knownTokens = recentlyUsed<Known>(CAPACITY)
  const knownSessions = recentlyUsed<Known>(CAPACITY)
  const placesKnown = recentlyUsed<TokenPlace>(CAPACITY)
  const ticketsKnown = recentlyUsed<DatedTicket>(CAPACITY)

  const placeOf = async (hash: string): Promise<TokenPlace | undefined> => {
    // Where a token is never changes.
    const place = placesKnown.get(hash) ?? (await places.find(hash))
    if (place) placesKnown.set(hash, place)
    return place
  }

  const byToken = async (value: string): Promise<Known | undefined> => {
    const hash = tokenHash(value)
    const place = await placeOf(hash)
    if (!place) return undefined
    const { company, key } = place
    const [token, firm] = await Promise.all([current.load(company, key), current.load(company, company)])
    const ownerKey = token.fields['Owner']
    const owner = typeof ownerKey === 'string' ? await current.load(company, ownerKey) : undefined
    const found = tokenPrincipal({ hash, place, token, firm, owner })
    if (!found) return undefined
    const { until } = found
    return {
      ...found,
      company,
      of: [
        { key, state: token },
        { key: company, state: firm },
        ...(owner ? [{ key: ownerKey as string, state: owner }] : []),
      ],
      admitted(principal, time) {
        used(place, token.fields, time)
        return until - time < NEAR_DAYS * DAY_MS ? { principal, tokenExpires: until } : { principal }
      },
    }
  }

  const bySession = async (text: string): Promise<Known | undefined> => {
    const hash = tokenHash(text)
    const ticket = ticketsKnown.get(hash) ?? tickets.read(text)
    if (!ticket) return undefined
    ticketsKnown.set(hash, ticket)
    const { company, user: userKey, session: sessionKey } = ticket
    const [session, firm, user] = await Promise.all([
      current.load(company, sessionKey),
      current.load(company, company),
      current.load(company, userKey),
    ])
    const found = sessionPrincipal({ ticket, session, firm, user })
    if (!found) return undefined
    const minutes = timeoutOf(firm.fields)
    const slides = firm.fields['SessionRenewal'] !== 'Fixed'
    return {
      ...found,
      company,
      of: [
        { key: sessionKey, state: session },
        { key: company, state: firm },
        { key: userKey, state: user },
      ],
      admitted(principal, time) {
        const isOld = time - ticket.issuedAt > minutes * 60_000 * RENEWED_AFTER
        return isOld && slides ? { principal, renewed: tickets.issue(ticket, minutes) } : { principal }
      },
    }
  }

  /** Undefined when something is not as it was, or not at hand. */
  const asBefore = ({ company, of, principal, from, until, admitted }: Known) => {
    const time = now()
    if (time < from || time >= until) return undefined
    for (const { key, state } of of) if (current.peek(company, key) !== state) return undefined
    const access = accessOf(company, principal.roles)
    if (access === principal.access) return admitted(principal, time)
    const enter = (changed: Access) => admitted({ ...principal, access: changed }, time)
    return access instanceof Promise ? access.then(enter) : enter(access)
  }

  const anew = async (
    remembered: RecentlyUsed<Known>,
    find: (text: string) => Promise<Known | undefined>,
    text: string,
  ): Promise<Admitted | undefined> => {
    const found = await find(text)
    const access = found && (await accessOf(found.company, found.principal.roles))
    const time = now()
    if (!found || !access || time < found.from || time >= found.until) {
      remembered.delete(text)
      return undefined
    }
    const principal = { ...found.principal, access }
    remembered.set(text, { ...found, principal })
    return found.admitted(principal, time)
  }

  const admit = (
    remembered: RecentlyUsed<Known>,
    find: (text: string) => Promise<Known | undefined>,
    text: string,
  ) => {
    const known = remembered.get(text)
    // One limit on all that is read on the way, one thing after the other.
    return (known && asBefore(known)) ?? inTime(STORE_TIMEOUT_MS, anew(remembered, find, text))
  }

  return (credential) =>
    'bearer' in credential
      ? admit(knownTokens, byToken, credential.bearer)
      : admit(knownSessions, bySession, credential.cookie)
}
