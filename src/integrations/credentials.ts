/**
 * Credentials of an integration: sealed together, as one text. While one is rotated its predecessor is valid, too, so that the
 * other system can be changed over without a gap.
 */
import type { Company } from '../domain/events/event.ts'
import { timestampOf } from '../domain/fields/dates.ts'
import type { Fields, Json } from '../domain/json.ts'

interface Credential {
  readonly value: string
  readonly setAt: string
  readonly previous?: string
  /** ISO: when the previous one is no longer valid. */
  readonly until?: string
}

export type Credentials = Readonly<Record<string, Credential>>

/** `identity/secrets/sealed-secrets.ts` */
export interface Sealing {
  seal(secret: string, owner: string): string
  open(sealed: string, owner: string): string
}

/** How long a credential stays valid beside its successor. */
const OVERLAP_MS = 24 * 3_600_000
/** What secrets of integrations are sealed for. */
export const ownerOf = (company: Company) => `integrations of ${company}`

/** @throws Error when they were sealed by a key that is not known here */
export function openCredentials(sealing: Sealing, company: Company, sealed: string | undefined): Credentials {
  return sealed === undefined ? {} : (JSON.parse(sealing.open(sealed, ownerOf(company))) as Credentials)
}

/** The fields of the integration that keep them. */
export function credentialFields(sealing: Sealing, company: Company, credentials: Credentials): Fields {
  const all = Object.entries(credentials)
  return {
    Credentials: all.length === 0 ? null : sealing.seal(JSON.stringify(credentials), ownerOf(company)),
    CredentialsSet: all.map(([Name, { setAt, until }]): Json => ({
      Name,
      SetAt: setAt,
      PreviousUntil: until ?? null,
    })),
  }
}

/** With these values in place of what was there; null takes one away. */
export function withValues(
  credentials: Credentials,
  values: Readonly<Record<string, string | null>>,
  now: number,
): Credentials {
  const setAt = timestampOf(now)
  const kept = Object.entries(credentials).filter(([name]) => !Object.hasOwn(values, name))
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [[name, { value, setAt }] as const],
  )
  return Object.fromEntries([...kept, ...given])
}

/** With another value, beside which the present one is valid for a day. */
export function rotated(credentials: Credentials, name: string, value: string, now: number): Credentials {
  const before = credentials[name]
  const kept = before && { previous: before.value, until: timestampOf(now + OVERLAP_MS) }
  return { ...credentials, [name]: { value, setAt: timestampOf(now), ...kept } }
}

/** The values that are valid now, newest first. */
export function validValues(credentials: Credentials, name: string, now: number): readonly string[] {
  const credential = Object.hasOwn(credentials, name) ? credentials[name] : undefined
  if (!credential) return []
  const { value, previous, until } = credential
  const isPrevious = previous !== undefined && until !== undefined && now < Date.parse(until)
  return isPrevious ? [value, previous] : [value]
}
