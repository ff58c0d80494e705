/**
 * A random history of two companies, the same for the same seed: records of every sample object are created, changed,
 * renamed, deleted, restored and approved, and the service's own bookkeeping goes on between them.
 */
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import type { Fields, Json } from '../../../src/domain/json.ts'
import { randomOf } from '../../../scripts/demo/random.ts'
import { newEvent } from '../../support/events.ts'
import { key } from '../../support/write-side.ts'

export const COMPANIES = ['company-one', 'company-two'] as const

interface Known {
  readonly key: string
  version: number
  isDeleted: boolean
}

export function randomHistory(seed: string, length: number): RecordedEvent[] {
  const random = randomOf(seed)
  const events: RecordedEvent[] = []
  const records = new Map<string, Known[]>()
  const kept = (company: string, object: string) => {
    const id = `${company} ${object}`
    const all = records.get(id) ?? []
    records.set(id, all)
    return all
  }
  let position = 0
  let time = Date.parse('2026-01-01T00:00:00Z')
  let next = 1

  const append = (company: string, stream: string, version: number, type: string, data: Fields) => {
    position += random.between(1, 3)
    // Now and then a clock is set back.
    time += random.chance(0.05) ? -random.between(0, 5_000) : random.between(0, 90_000)
    const at = new Date(time).toISOString()
    const actor = key('user', random.between(1, 3))
    const id = `${seed} ${position}`
    events.push({
      ...newEvent({ id, type, data, company, metadata: { at, actor } }),
      stream,
      version,
      position,
    })
  }
  const some = (company: string, object: string): Json => {
    const all = kept(company, object)
    return all.length === 0 || random.chance(0.2) ? null : random.pick(all).key
  }
  const maybe = (value: () => Json): Json => (random.chance(0.25) ? null : value())
  const money = () => ({
    Amount: random.between(-50_000_000, 50_000_000) / 100,
    Currency: random.pick(['EUR', 'CHF']),
  })
  const text = () => random.pick(['Anna', '=1+1', 'Ünï "q", x', '', '-5', 'line\nbreak', '\u{1f600}'])
  const day = () => `20${random.between(10, 29)}-0${random.between(1, 9)}-1${random.between(0, 9)}`
  const fieldsOf = (company: string, object: string): Fields => {
    switch (object) {
      case 'tenant':
        return {
          Name: maybe(text),
          Score: maybe(() => random.between(0, 1_000) / 8),
          Deposit: maybe(money),
          IsActive: maybe(() => random.chance(0.5)),
          Guarantor: some(company, 'tenant'),
          LastContactAt: maybe(() => `${day()}T10:00:00Z`),
        }
      case 'building':
        return { Name: text(), BuiltOn: maybe(day), Floors: maybe(() => random.between(1, 9)) }
      case 'unit':
        return { Number: text(), Building: some(company, 'building'), Area: maybe(() => random.next() * 100) }
      default:
        return {
          ContractNumber: `CON-${next}`,
          Tenant: some(company, 'tenant'),
          Unit: some(company, 'unit'),
          Building: some(company, 'building'),
          MonthlyRent: money(),
          StartDate: day(),
          Duration: maybe(() => random.between(1, 60)),
          Status: random.pick(['Draft', 'PendingApproval', 'Active']),
          AutoRenews: maybe(() => random.chance(0.5)),
          SignedAt: maybe(() => `${day()}T09:30:00Z`),
          Terms: maybe(() => ({ a: [1, null, { b: text() }] })),
        }
    }
  }
  /** What a create says, and only some of it for a change; a create has no cleared fields. */
  const without = (fields: Fields, drop: (value: Json) => boolean): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => !drop(value)))

  while (events.length < length) {
    const company = random.pick(COMPANIES)
    const object = random.pick(['tenant', 'building', 'unit', 'contract', 'contract'])
    const all = kept(company, object)
    if (random.chance(0.1)) append(company, `claim-${next}`, next++, 'claim.taken', {})
    else if (all.length === 0 || random.chance(0.3)) {
      const record: Known = { key: key(object, next++), version: 1, isDeleted: false }
      append(
        company,
        record.key,
        1,
        `${object}.created`,
        without(fieldsOf(company, object), (v) => v === null),
      )
      all.push(record)
    } else {
      const record = random.pick(all)
      record.version++
      const doing = record.isDeleted ? 'restored' : random.chance(0.1) ? 'deleted' : 'changed'
      if (doing === 'changed') {
        const type = random.pick(['updated', 'updated', 'workflow.approved'])
        const data = without(fieldsOf(company, object), () => random.chance(0.6))
        append(company, record.key, record.version, `${object}.${type}`, data)
      } else {
        record.isDeleted = doing === 'deleted'
        append(company, record.key, record.version, `${object}.${doing}`, {})
      }
    }
  }
  return events
}

/** The same events with every tenth delivered twice, in batches of this size. */
export function deliveries(events: readonly RecordedEvent[], batch: number): RecordedEvent[][] {
  const told = events.flatMap((event, i) => (i % 10 === 9 ? [event, event] : [event]))
  return Array.from({ length: Math.ceil(told.length / batch) }, (_, i) =>
    told.slice(i * batch, (i + 1) * batch),
  )
}
