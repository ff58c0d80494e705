/**
 * Who a request comes from. Everything that decides it (token, session, user, company) is looked at as it is now, for
 * each request; what it came to last time is only used while all of that is still the same.
 */
import type { Company } from '../domain/event.ts'
import type { Fields } from '../domain/json.ts'
import type { RecordState } from '../domain/record.ts'
import type { Access } from './access.ts'
import type { CurrentStates } from './current-states.ts'
import { stillGranted } from './granting.ts'
import type { Admitted, Authenticate, Principal } from './principal.ts'
import type { DatedTicket, SessionTickets } from './session-tickets.ts'
import { tokenHash, type TokenPlace, type TokenPlaces } from './token-values.ts'

export interface AuthenticateOptions {
  readonly current: CurrentStates
  readonly tickets: SessionTickets
  readonly places: Pick<TokenPlaces, 'find'>
  readonly accessOf: (company: Company, roles: readonly string[]) => Access | Promise<Access>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A token was used. */
  readonly used: (place: TokenPlace, token: Fields) => void
}

/** What a credential came to, and of which states. */
interface Known {
  readonly of: readonly (RecordState | undefined)[]
  readonly principal: Principal | undefined
  /** Until when that holds while nothing changes, in ms since 1970. */
  readonly until: number
  readonly access: Access | undefined
}

const CAPACITY = 10_000
const DAY_MS = 86_400_000
/** Of its last so many days a token's expiry is told (open fact 25). */
const NEAR_DAYS = 14
/** A sliding session is renewed when this part of its time has passed. */
const RENEWED_AFTER = 0.1

export function authenticate(options: AuthenticateOptions): Authenticate {
  const { current, tickets, places, accessOf, now, used } = options
  const known = memory<Known>()
  const placesKnown = memory<TokenPlace>()
  const ticketsKnown = memory<DatedTicket>()

  const placeOf = async (hash: string): Promise<TokenPlace | undefined> => {
    // Where a token is never changes.
    const place = placesKnown.get(hash) ?? (await places.find(hash))
    if (place) placesKnown.set(hash, place)
    return place
  }

  const byToken = async (value: string): Promise<Admitted | undefined> => {
    const hash = tokenHash(value)
    const place = await placeOf(hash)
    if (!place) return undefined
    const { company, key } = place
    const before = known.get(hash)
    const [token, firm] = await Promise.all([current.load(company, key), current.load(company, company)])
    const ownerKey = token.fields['Owner']
    const owner = typeof ownerKey === 'string' ? await current.load(company, ownerKey) : undefined
    const of = [token, firm, owner]
    const time = now()
    const outcome = same(before, of, time) ?? tokenOutcome(hash, place, token, firm, owner, time)
    const { principal } = await remembered(hash, outcome)
    if (!principal) return undefined
    used(place, token.fields)
    const expires = timeOf(token.fields['ExpiresAt'])
    return expires !== undefined && expires - time < NEAR_DAYS * DAY_MS
      ? { principal, tokenExpires: expires }
      : { principal }
  }

  const bySession = async (text: string): Promise<Admitted | undefined> => {
    const hash = tokenHash(text)
    const ticket = ticketsKnown.get(hash) ?? tickets.read(text)
    if (!ticket) return undefined
    ticketsKnown.set(hash, ticket)
    const { company, user, session } = ticket
    const of = await Promise.all([
      current.load(company, session),
      current.load(company, company),
      current.load(company, user),
    ])
    const time = now()
    const outcome = same(known.get(hash), of, time) ?? sessionOutcome(ticket, ...of, time)
    const { principal } = await remembered(hash, outcome)
    if (!principal) return undefined
    const [, { fields: firm }] = of
    const minutes = timeoutOf(firm)
    const isOld = time - ticket.issuedAt > minutes * 60_000 * RENEWED_AFTER
    return isOld && firm['SessionRenewal'] !== 'Fixed'
      ? { principal, renewed: tickets.issue(ticket, minutes) }
      : { principal }
  }

  /** Access is asked for each time: roles may have changed; the principal is made anew only when it has. */
  const remembered = async (hash: string, outcome: Known): Promise<Known> => {
    const { principal } = outcome
    if (!principal) {
      known.delete(hash)
      return outcome
    }
    const asked = accessOf(principal.company, principal.roles)
    const access = asked instanceof Promise ? await asked : asked
    if (access === outcome.access) return outcome
    const whole = { ...outcome, access, principal: { ...principal, access } }
    known.set(hash, whole)
    return whole
  }

  return (credential) => ('bearer' in credential ? byToken(credential.bearer) : bySession(credential.cookie))
}

function same(before: Known | undefined, of: Known['of'], time: number): Known | undefined {
  return before && time < before.until && of.every((state, i) => state === before.of[i]) ? before : undefined
}

const denied = (of: Known['of']): Known => ({ of, principal: undefined, until: 0, access: undefined })
const nothing: Access = { grant: () => undefined }

function tokenOutcome(
  hash: string,
  { company, key }: TokenPlace,
  token: RecordState,
  firm: RecordState,
  owner: RecordState | undefined,
  time: number,
): Known {
  const of = [token, firm, owner]
  const { fields } = token
  const expires = timeOf(fields['ExpiresAt']) ?? Number.POSITIVE_INFINITY
  const isPrevious = fields['PreviousHash'] === hash
  const until = isPrevious ? Math.min(expires, timeOf(fields['PreviousUntil']) ?? 0) : expires
  const isRight = fields['Hash'] === hash || isPrevious
  if (token.status !== 'live' || !isRight || time >= until || !isOpen(firm)) return denied(of)
  if (owner && !isActive(owner)) return denied(of)
  const given = rolesOf(fields)
  const roles = owner ? stillGranted(given, rolesOf(owner.fields)) : given
  const principal = {
    company,
    actor: key,
    name: fields['Name'] as string,
    roles,
    access: nothing,
    companyName: firm.fields['Name'] as string,
  }
  return { of, principal, until, access: undefined }
}

function sessionOutcome(
  { company, user: key, session: sessionKey, issuedAt, expiresAt }: DatedTicket,
  session: RecordState,
  firm: RecordState,
  user: RecordState,
  time: number,
): Known {
  const of = [session, firm, user]
  // A timeout that was made shorter holds for those who are logged in already.
  const until = Math.min(expiresAt, issuedAt + timeoutOf(firm.fields) * 60_000)
  if (session.status !== 'live' || !isOpen(firm) || !isActive(user) || time >= until) return denied(of)
  if (session.fields['User'] !== key || session.fields['Epoch'] !== epochOf(user.fields)) return denied(of)
  const principal = {
    company,
    actor: key,
    name: user.fields['Name'] as string,
    email: user.fields['Email'] as string,
    roles: rolesOf(user.fields),
    access: nothing,
    session: sessionKey,
    companyName: firm.fields['Name'] as string,
  }
  return { of, principal, until, access: undefined }
}

/** Whether people of the company get in. */
export function isOpen({ status, fields }: RecordState): boolean {
  return status === 'live' && fields['IsSuspended'] !== true
}

export function isActive({ status, fields }: RecordState): boolean {
  return status === 'live' && fields['IsActive'] !== false
}

export function rolesOf(fields: Fields): readonly string[] {
  return (fields['Roles'] as readonly string[] | undefined) ?? []
}

/** How often the password was changed: a session of another count has ended. */
export function epochOf(fields: Fields): number {
  return (fields['SessionEpoch'] as number | undefined) ?? 0
}

/** Minutes that a session of the company lasts. */
export function timeoutOf(company: Fields): number {
  return (company['SessionTimeoutMinutes'] as number | undefined) ?? 1_440
}

function timeOf(timestamp: unknown): number | undefined {
  return typeof timestamp === 'string' ? Date.parse(timestamp) : undefined
}

/** Remembers so many; the oldest go. */
function memory<T>() {
  const entries = new Map<string, T>()
  return {
    get: (key: string) => entries.get(key),
    delete: (key: string) => entries.delete(key),
    set(key: string, value: T) {
      if (entries.size >= CAPACITY && !entries.has(key)) entries.delete(entries.keys().next().value!)
      entries.set(key, value)
    },
  }
}
