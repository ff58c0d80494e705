/**
 * Claims the values of unique fields as the records have them, for events whose keys of companies are lost or never were; a
 * value that is claimed already stays as it is. The service must not run.
 *
 * From before the first new key to after the last claim the events say that keys are being renewed: no service starts then,
 * and what was cut off is run again to its end.
 */
import { randomUUID } from 'node:crypto'
import { beginRenewing, openWith } from '../../src/identity/secrets/check-keys.ts'
import { keyRecords } from '../../src/identity/secrets/key-records.ts'
import { ownEvent } from '../../src/commands/support/own-event.ts'
import { claimsOf, claimStreamOf, type Claim } from '../../src/commands/support/unique-claims.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import {
  companyKeys,
  KeyLost,
  ownerOfKey,
  type CompanyKeys,
} from '../../src/identity/secrets/company-keys.ts'
import { masterKeyRecord } from '../../src/identity/secrets/master-key.ts'
import type { Sealer } from '../../src/identity/secrets/sealed-secrets.ts'
import type { KeyStore } from '../../src/ports/key-store.ts'
import { liveRecords, type LiveRecord, type LiveRecords } from './live-records.ts'
import type { OfflineEvents } from './offline-events.ts'

export interface ClaimAgain {
  readonly events: OfflineEvents
  readonly store: KeyStore
  readonly sealer: Pick<Sealer, 'seal' | 'open' | 'names'>
  /** All objects, those that the service keeps for itself included. */
  readonly definitions: Definitions
  /** New keys are made in place of those that are lost. */
  readonly withoutKeys: boolean
}

export interface ClaimedAgain {
  /** Values that were not claimed, and are now. */
  readonly claims: number
  /** Companies that have a new key. */
  readonly renewed: number
  /** `<key>: <field>` of each record whose value an older record has: it can be changed, not given again. */
  readonly duplicates: readonly string[]
  /** Records whose values are not claimed, since an event of theirs cannot be read. */
  readonly unreadable: readonly string[]
}

/** @throws Error for records of an object without a definition, and for keys that are lost, unless new ones are to be made */
export async function claimAgain(options: ClaimAgain): Promise<ClaimedAgain> {
  const { events, store, sealer, definitions, withoutKeys } = options
  const now = () => Date.now()
  const keys = companyKeys({ store, records: keyRecords({ events, now }), sealer, now })
  const live = await liveRecords(events.all(), definitions)
  const lost = await lostKeys(options, keys, live)
  const master = masterKeyRecord({ events, now })
  const used = await master.last()
  if (!withoutKeys && used !== undefined && !sealer.names().includes(used))
    throw new Error(`The master key ${used} is missing. ${LOST}`)
  if (lost.companies.length > 0 && !withoutKeys)
    throw new Error(`The keys of ${lost.companies.length} companies are lost. ${LOST}`)
  await beginRenewing({ events, now })
  for (const company of lost.companies) await keys.renew(company)
  // Answers that nobody can open are not given again.
  if (lost.answers) await store.destroy('answers:', 'answers:~')
  const { claims, duplicates } = await claimAll(events, keys, live)
  await master.use(sealer.names()[0]!)
  await openWith({ events, store, now })
  const unreadable = [...live.unknown].map(([key, reason]) => `${key}: ${reason}`)
  return { claims, renewed: lost.companies.length, duplicates, unreadable }
}

const LOST = 'Bring them back from the newest backup; or add --without-keys, which makes new ones.'

/** Companies whose key is missing, is another than it was, or cannot be opened; and whether a key of answers cannot. */
async function lostKeys(
  { store, sealer }: ClaimAgain,
  keys: CompanyKeys,
  { companies }: LiveRecords,
): Promise<{ readonly companies: readonly string[]; readonly answers: boolean }> {
  const kept = await store.list()
  const isOpen = ({ company, purpose, sealed }: (typeof kept)[number]) => {
    try {
      return sealer.open(sealed, ownerOfKey(company, purpose)) !== ''
    } catch {
      return false
    }
  }
  const asked = new Set([...companies, ...kept.filter(isOfClaims).map(({ company }) => company)])
  const lost: string[] = []
  for (const company of asked)
    try {
      await keys.nameOf(company, '')
    } catch (error) {
      if (!(error instanceof KeyLost)) throw error
      lost.push(company)
    }
  return { companies: lost, answers: kept.some((key) => !isOfClaims(key) && !isOpen(key)) }
}

const isOfClaims = ({ purpose }: { readonly purpose: string }) => purpose === 'claims'

async function claimAll(
  events: OfflineEvents,
  keys: CompanyKeys,
  { records, unknown }: LiveRecords,
): Promise<Pick<ClaimedAgain, 'claims' | 'duplicates'>> {
  let claims = 0
  const duplicates: string[] = []
  for (const record of records.values())
    for (const claim of claimsOf(record.definition, record.state.fields)) {
      const bears = (key: string) =>
        unknown.has(key) || records.get(key)?.state.fields[claim.field.name] === claim.value
      const owner = await claimOne(events, keys, record, claim, bears)
      if (owner === undefined) claims++
      else if (owner !== record.key) duplicates.push(`${record.key}: ${claim.field.name}`)
    }
  return { claims, duplicates }
}

/** Who has the value already, where somebody has. */
async function claimOne(
  events: OfflineEvents,
  keys: CompanyKeys,
  { company, key, definition }: LiveRecord,
  claim: Claim,
  bears: (key: string) => boolean,
): Promise<string | undefined> {
  const { object } = definition
  const stream = await claimStreamOf(keys.nameOf, company, object, claim)
  const last = await events.last(company, stream)
  const owner = last?.type === 'claim.taken' ? (last.data['Key'] as string) : undefined
  if (owner !== undefined && (owner === key || bears(owner))) return owner
  const data = { Key: key, Object: object, Field: claim.field.name }
  const event = ownEvent({
    company,
    stream,
    type: 'claim.taken',
    data,
    now: Date.now(),
    command: randomUUID(),
    name: 'claim',
  })
  await events.append({ company, stream, expected: last?.version ?? 0, events: [event] })
  return undefined
}
