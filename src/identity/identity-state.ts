/** What the fields of users, tokens and companies mean, defaults included. */
import type { Fields } from '../domain/json.ts'
import type { RecordState } from '../domain/records/record.ts'

/** Whether users and tokens of the company are let in. */
export function isOpen({ status, fields }: RecordState): boolean {
  return status === 'live' && fields['IsSuspended'] !== true
}

export function isActive({ status, fields }: RecordState): boolean {
  return status === 'live' && fields['IsActive'] !== false
}

export function rolesOf(fields: Fields): readonly string[] {
  return (fields['Roles'] as readonly string[] | undefined) ?? []
}

/** Counts how often all sessions of the user were ended, by a new password or deactivation. */
export function epochOf(fields: Fields): number {
  return (fields['SessionEpoch'] as number | undefined) ?? 0
}

/** How long a session of the company lasts, in minutes. */
export function timeoutOf(company: Fields): number {
  return (company['SessionTimeoutMinutes'] as number | undefined) ?? 1_440
}
