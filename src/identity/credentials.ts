/** The principal that a token or session stands for, judged by the states of the records that decide it. */
import type { RecordState } from '../domain/records/record.ts'
import type { Access } from '../rights/access.ts'
import { stillGranted } from '../rights/granting.ts'
import { epochOf, isActive, isOpen, rolesOf, timeoutOf } from './identity-state.ts'
import type { Principal } from './principal.ts'
import type { DatedTicket } from './sessions/session-tickets.ts'
import type { TokenPlace } from './tokens/token-values.ts'

/** The largest difference between the clocks of two processes. */
const CLOCKS_DIFFER_MS = 300_000

/** Valid from and until these times (ms since 1970); undefined: the credential is not valid. */
type Found = { readonly principal: Principal; readonly from: number; readonly until: number } | undefined

/** Replaced once the roles have been looked up. */
const nothing: Access = { grant: () => undefined }

export function tokenPrincipal({
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
    person: (fields['Owner'] as string | undefined) ?? key,
    name: fields['Name'] as string,
    roles: owner ? stillGranted(given, rolesOf(owner.fields)) : given,
    access: nothing,
    companyName: firm.fields['Name'] as string,
    tokenHash: hash,
  }
  return { principal, from: 0, until }
}

export function sessionPrincipal({
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
    person: key,
    name: user.fields['Name'] as string,
    email: user.fields['Email'] as string,
    roles: rolesOf(user.fields),
    access: nothing,
    session: sessionKey,
    companyName: firm.fields['Name'] as string,
  }
  return {
    principal,
    // Issued by a clock that was ahead: it would last too long.
    from: issuedAt - CLOCKS_DIFFER_MS,
    // A shorter timeout also applies to sessions that are open already.
    until: Math.min(expiresAt, issuedAt + timeoutOf(firm.fields) * 60_000),
  }
}

function timeOf(timestamp: unknown): number | undefined {
  return typeof timestamp === 'string' ? Date.parse(timestamp) : undefined
}
