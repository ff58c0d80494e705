/** What tokens and sessions come to, by the states of all that decides it (token, session, user, company). */
import type { Fields } from '../domain/json.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { Access } from '../rights/access.ts'
import { stillGranted } from '../rights/granting.ts'
import type { Principal } from './principal.ts'
import type { DatedTicket } from './sessions/session-tickets.ts'
import type { TokenPlace } from './tokens/token-values.ts'

/** How far apart the clocks of processes may be. */
const CLOCKS_DIFFER_MS = 300_000

/** Who it is, from when and until when (ms since 1970); undefined: nobody. */
type Found = { readonly principal: Principal; readonly from: number; readonly until: number } | undefined
const nothing: Access = { grant: () => undefined }

export function ofToken({
  hash,
  place: { company, key },
  token: { status, fields },
  firm,
  owner,
}: {
  readonly hash: string
  readonly place: TokenPlace
  readonly token: RecordState
  readonly firm: RecordState
  readonly owner: RecordState | undefined
}): Found {
  const expires = timeOf(fields['ExpiresAt']) ?? Number.POSITIVE_INFINITY
  const isPrevious = fields['PreviousHash'] === hash
  const until = isPrevious ? Math.min(expires, timeOf(fields['PreviousUntil']) ?? 0) : expires
  const isRight = fields['Hash'] === hash || isPrevious
  if (status !== 'live' || !isRight || !isOpen(firm)) return undefined
  if (owner && !isActive(owner)) return undefined
  const given = rolesOf(fields)
  const principal = {
    company,
    actor: key,
    name: fields['Name'] as string,
    roles: owner ? stillGranted(given, rolesOf(owner.fields)) : given,
    access: nothing,
    companyName: firm.fields['Name'] as string,
    ...(isPrevious && { isReplaced: true as const }),
  }
  return { principal, from: 0, until }
}

export function ofSession({
  ticket: { company, user: key, session: sessionKey, issuedAt, expiresAt },
  session,
  firm,
  user,
}: {
  readonly ticket: DatedTicket
  readonly session: RecordState
  readonly firm: RecordState
  readonly user: RecordState
}): Found {
  if (session.status !== 'live' || !isOpen(firm) || !isActive(user)) return undefined
  if (session.fields['User'] !== key || session.fields['Epoch'] !== epochOf(user.fields)) return undefined
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
  return {
    principal,
    // Of a clock that was ahead when it was issued: it would last longer than it may.
    from: issuedAt - CLOCKS_DIFFER_MS,
    // A timeout that was made shorter holds for those who are logged in already.
    until: Math.min(expiresAt, issuedAt + timeoutOf(firm.fields) * 60_000),
  }
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

/** How often all sessions were ended, by a new password or because the user was shut out: one of another count has ended. */
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
