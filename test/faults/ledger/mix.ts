/** What clients ask for: a mix of every kind of write on contracts and tenants, by what they know of the store. */
import type { Random } from '../../support/random.ts'
import { ACTIONS, type Action, type Entry, type Intent, type RowResult, type Values } from './ledger.ts'

/** A record that some client was told of. */
export interface KnownRecord {
  readonly key: string
  /** The latest version that a client was told of. */
  version: number
  /** Of a contract: the state that it then was in. */
  status?: string
}

/** What all clients know together. */
export interface Known {
  readonly contracts: KnownRecord[]
  readonly tenants: KnownRecord[]
  readonly byKey: Map<string, KnownRecord>
  /** The token by which contracts are approved; without one every approval is refused. */
  approver?: string
}

export interface Wish {
  readonly intentOf: (id: string) => Intent
  readonly idempotent?: boolean
  readonly expectedVersion?: number
}

export const nothingKnown = (): Known => ({ contracts: [], tenants: [], byKey: new Map() })

const DAY_MS = 86_400_000
const NAMES = ['Zoë Ångström', "Siân O'Neill", 'Łukasz Żak', 'Straßer & Söhne', '山田商事', 'Ana "Nina" Díaz']
const ALL_ACTIONS = Object.keys(ACTIONS) as Action[]
/** Few, so that clients meet on the same tenants. */
const EXTERNAL_IDS = 40

/** The next thing a client does. */
export function nextWish(random: Random, known: Known): Wish {
  const { contracts, tenants } = known
  if (tenants.length < 4 || random.chance(0.05)) return createTenant(random)
  if (contracts.length < 8) return createContract(random, known)
  const kinds: readonly (readonly [weight: number, wish: () => Wish])[] = [
    [22, () => createContract(random, known)],
    [10, () => ({ ...createContract(random, known), idempotent: true })],
    [22, () => changeContract(random, known)],
    [6, () => ({ ...changeContract(random, known), idempotent: true })],
    [6, () => guardedChange(random, known)],
    [10, () => act(random, known)],
    [4, () => ({ ...act(random, known), idempotent: true })],
    [7, () => remove(recent(random, contracts))],
    [6, () => restore(recent(random, contracts))],
    [2, () => ({ ...remove(recent(random, contracts)), idempotent: true })],
    [4, () => batch(random, known)],
    [2, () => ({ ...batch(random, known), idempotent: true })],
    [7, () => upsertTenant(random)],
    [3, () => ({ ...upsertTenant(random), idempotent: true })],
    [3, () => renameTenant(random, known)],
    [1, () => remove(random.pick(tenants).key)],
    [1, () => restore(random.pick(tenants).key)],
  ]
  let at = random.next() * kinds.reduce((sum, [weight]) => sum + weight, 0)
  return kinds.find(([weight]) => (at -= weight) < 0)![1]()
}

/** Takes in what an answer tells of records. */
export function learn(known: Known, { intent, answer }: Entry): void {
  if (!answer || answer.status >= 300) return
  if (intent.kind === 'batch') {
    for (const { Id, Status } of answer.data as RowResult[])
      if (Status === 201 && Id !== undefined) learnVersion(known, Id, 1)
  } else if (answer.version !== undefined) {
    const { Id, Status } = answer.data as { Id: string; Status?: string }
    learnVersion(known, Id, answer.version, Status)
  }
}

function learnVersion(known: Known, key: string, version: number, status?: string): void {
  const record = known.byKey.get(key)
  if (record) {
    if (version >= record.version && status !== undefined) record.status = status
    record.version = Math.max(record.version, version)
  } else {
    const learnt = { key, version, ...(status !== undefined && { status }) }
    known.byKey.set(key, learnt)
    ;(key.startsWith('contract-') ? known.contracts : known.tenants).push(learnt)
  }
}

/** Mostly one of the latest, so that clients meet on the same records. */
function recent(random: Random, records: readonly KnownRecord[]): string {
  const from = random.chance(0.7) ? Math.max(0, records.length - 30) : 0
  return records[random.between(from, records.length - 1)]!.key
}

const money = (random: Random): Values => ({
  Amount: random.between(0, 500_000) / 100,
  Currency: random.pick(['EUR', 'USD', 'GBP']),
})

function dateFromNow(random: Random, from: number, to: number): string {
  return new Date(Date.now() + random.between(from, to) * DAY_MS).toISOString().slice(0, 10)
}

function contractFields(random: Random, known: Known, firstDay: number): Values {
  const tenant = known.tenants.length > 0 && random.chance(0.8) ? random.pick(known.tenants).key : undefined
  return {
    MonthlyRent: money(random),
    StartDate: dateFromNow(random, firstDay, 900),
    // Months enough for the earliest start: a contract whose end is past would expire by itself.
    Duration: random.between(70, 190),
    LeaseType: random.pick(['New', 'Renewal', 'Sub-lease']),
    ...(tenant !== undefined && { Tenant: tenant }),
  }
}

function createContract(random: Random, known: Known): Wish {
  const fields = contractFields(random, known, 2)
  return { intentOf: (id) => ({ kind: 'create', object: 'contract', fields: { ...fields, Notes: id } }) }
}

function createTenant(random: Random): Wish {
  const Name = random.pick(NAMES)
  return {
    intentOf: (id) => ({ kind: 'create', object: 'tenant', fields: { Name: `${Name} ${id}`, Notes: id } }),
  }
}

/** Notes hold the request's mark, so a change always changes something. */
function changeContract(random: Random, known: Known): Wish {
  const key = recent(random, known.contracts)
  const kind = random.chance(0.65) ? 'patch' : 'put'
  const all = contractFields(random, known, 2)
  const some = Object.fromEntries(Object.entries(all).filter(() => random.chance(0.4)))
  if (kind === 'patch' && random.chance(0.2)) some['MonthlyRent'] = { Amount: random.between(1, 9_999) }
  if (random.chance(0.2)) some['Status'] = random.pick(['Active', 'PendingApproval', 'Terminated'])
  if (random.chance(0.1)) some['LeaseType'] = null
  return { intentOf: (id) => ({ kind, key, fields: { ...some, Notes: id } }) }
}

function guardedChange(random: Random, known: Known): Wish {
  const record = known.byKey.get(recent(random, known.contracts))!
  const expectedVersion = Math.max(1, record.version - (random.chance(0.2) ? 1 : 0))
  return {
    intentOf: (id) => ({ kind: 'patch', key: record.key, fields: { Notes: id } }),
    expectedVersion,
  }
}

/** Mostly one that may fit. Others, and those that come too late, are refused: then they must have done nothing. */
function act(random: Random, { contracts, byKey, approver }: Known): Wish {
  const key = recent(random, contracts)
  const status = byKey.get(key)?.status ?? 'Draft'
  const fitting = ALL_ACTIONS.filter((name) => ACTIONS[name].from.some((state) => state === status))
  const action = random.pick(fitting.length > 0 && random.chance(0.8) ? fitting : ALL_ACTIONS)
  const token = action === 'approve' && approver !== undefined && { token: approver }
  return { intentOf: () => ({ kind: 'act', key, action, ...token }) }
}

const remove = (key: string): Wish => ({ intentOf: () => ({ kind: 'delete', key }) })
const restore = (key: string): Wish => ({ intentOf: () => ({ kind: 'restore', key }) })

function batch(random: Random, known: Known): Wish {
  const rows = Array.from({ length: random.between(2, 15) }, () => contractFields(random, known, -2_000))
  return {
    intentOf: (id) => ({
      kind: 'batch',
      object: 'contract',
      rows: rows.map((row, index) => ({ ...row, Notes: `${id}/${index}` })),
    }),
  }
}

function upsertTenant(random: Random): Wish {
  const value = `EXT-${random.between(1, EXTERNAL_IDS)}`
  const Name = random.pick(NAMES)
  const City = random.pick(['Genève', 'Köln', 'Łódź', "'s-Hertogenbosch"])
  return {
    intentOf: (id) => {
      const fields = { Name: `${Name} ${id}`, City, Notes: id }
      return { kind: 'upsert', object: 'tenant', field: 'ExternalId', value, fields }
    },
  }
}

function renameTenant(random: Random, known: Known): Wish {
  const { key } = random.pick(known.tenants)
  const Name = random.pick(NAMES)
  return { intentOf: (id) => ({ kind: 'patch', key, fields: { Name: `${Name} ${id}`, Notes: id } }) }
}
