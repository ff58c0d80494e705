/** The event file as anyone can read it, and what must hold in it whatever has happened to the service. */
import { DatabaseSync } from 'node:sqlite'
import type { Values } from './ledger/ledger.ts'

export interface StoredEvent {
  readonly position: number
  /** Without its shard. */
  readonly stream: string
  readonly version: number
  readonly id: string
  readonly type: string
  readonly data: Values
  readonly reason?: string
  readonly metadata: { readonly command: string }
}

export interface EventFile {
  readonly events: readonly StoredEvent[]
  /** What SQLite itself finds wrong with the file; empty when nothing is. */
  readonly damage: readonly string[]
}

/** Reads all of it, also beside a running service. */
export function readEventFile(path: string): EventFile {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const found = db.prepare('PRAGMA quick_check').all() as { quick_check: string }[]
    const rows = db.prepare('SELECT * FROM events ORDER BY position').all() as Record<string, unknown>[]
    return {
      events: rows.map((row) => {
        const { $reason: reason, ...data } = JSON.parse(row['data'] as string) as Record<string, unknown>
        const stream = (row['stream'] as string).replace(/^[0-9a-f]{2}-/, '')
        const metadata = JSON.parse(row['metadata'] as string) as unknown
        return { ...row, stream, data, reason, metadata } as unknown as StoredEvent
      }),
      damage: found.map(({ quick_check: line }) => line).filter((line) => line !== 'ok'),
    }
  } finally {
    db.close()
  }
}

/** Positions and versions without gaps, ids and numbers without repeats, numbers reserved before use, claims kept. */
export function checkEvents({ events, damage }: EventFile): string[] {
  return [
    ...damage.map((line) => `the event file is damaged: ${line}`),
    ...orderFaults(events),
    ...repeated(events, 'event id', ({ id }) => id),
    ...repeated(events, 'ContractNumber', ({ type, data }) =>
      type === 'contract.created' ? (data['ContractNumber'] as string) : undefined,
    ),
    ...numberFaults(events),
    ...claimFaults(events),
  ]
}

function orderFaults(events: readonly StoredEvent[]): string[] {
  const faults: string[] = []
  const versions = new Map<string, number>()
  for (const [index, { position, stream, version }] of events.entries()) {
    if (position !== index + 1) faults.push(`position ${position} stands where ${index + 1} should`)
    const expected = (versions.get(stream) ?? 0) + 1
    if (version !== expected) faults.push(`${stream}: version ${version} stands where ${expected} should`)
    versions.set(stream, version)
  }
  return faults
}

function repeated(
  events: readonly StoredEvent[],
  what: string,
  of: (event: StoredEvent) => string | undefined,
): string[] {
  const first = new Map<string, StoredEvent>()
  const faults: string[] = []
  for (const event of events) {
    const value = of(event)
    if (value === undefined) continue
    const other = first.get(value)
    if (other) faults.push(`${what} ${value} is at positions ${other.position} and ${event.position}`)
    else first.set(value, event)
  }
  return faults
}

/** A number's place in its sequence was reserved before the record that bears it was stored. */
function numberFaults(events: readonly StoredEvent[]): string[] {
  const faults: string[] = []
  const reserved = new Map<string, number>()
  for (const { position, stream, type, data } of events) {
    const year = /^numbering-contract-(\d+)-/.exec(stream)?.[1]
    if (year !== undefined && type === 'numbering.reserved') reserved.set(year, data['UpTo'] as number)
    if (type !== 'contract.created') continue
    const text = data['ContractNumber'] as string
    const number = /^CON-(\d{4})-(\d{4,})$/.exec(text)
    const upTo = reserved.get(number?.[1] ?? '') ?? 0
    if (!number || Number(number[2]) < 1 || Number(number[2]) > upTo)
      faults.push(`${text} at position ${position} was never reserved`)
  }
  return faults
}

/** A live tenant holds the claim on its ExternalId. A claim may lack its tenant: the process died in between. */
function claimFaults(events: readonly StoredEvent[]): string[] {
  const claims = new Map<string, string | undefined>()
  const values = new Map<string, { value: unknown; deleted: boolean }>()
  for (const { stream, type, data } of events) {
    if (data['Field'] === 'ExternalId' || claims.has(stream))
      claims.set(stream, type === 'claim.taken' ? (data['Key'] as string) : undefined)
    if (!stream.startsWith('tenant-')) continue
    const before = values.get(stream)
    const value = 'ExternalId' in data ? data['ExternalId'] : before?.value
    values.set(stream, { value, deleted: type === 'tenant.deleted' })
  }
  const live = [...values].filter(([, { value, deleted }]) => !deleted && typeof value === 'string')
  const owners = new Set(claims.values())
  const holders = new Map<unknown, string>()
  return live.flatMap(([key, { value }]) => {
    const other = holders.get(value)
    holders.set(value, key)
    return [
      ...(other === undefined ? [] : [`${other} and ${key} both have ExternalId ${String(value)}`]),
      ...(owners.has(key) ? [] : [`${key} has ExternalId ${String(value)} without a claim on it`]),
    ]
  })
}
