/**
 * The write side on an event store in memory, put together as the composition root does it; several on one log are
 * several processes on one store. Time stands still until a test moves it, and Keys of new records count from 1,001.
 */
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../src/commands/command.ts'
import { derivedId, type Identifiers } from '../../src/commands/support/identifiers.ts'
import { keyedLocks } from '../../src/commands/support/keyed-locks.ts'
import { numberSequences, type NumberSequences } from '../../src/commands/support/number-sequence.ts'
import { recordStates, type RecordStates } from '../../src/commands/support/record-states.ts'
import { uniqueClaims, type UniqueClaims } from '../../src/commands/support/unique-claims.ts'
import { writeRecords, type WriteRecords } from '../../src/commands/write-records.ts'
import type {
  Definitions,
  FieldDefinition,
  NamedEvent,
  ObjectDefinition,
  Transition,
} from '../../src/domain/definition.ts'
import { recordDocument } from '../../src/domain/records/document.ts'
import type { Company } from '../../src/domain/events/event.ts'
import { keyOf, objectOfKey } from '../../src/domain/records/key.ts'
import { absent, evolve, type RecordState } from '../../src/domain/records/record.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import type { ReadModels } from '../../src/ports/read-models.ts'
import { matches } from '../../src/domain/filter/evaluate.ts'
import { memoryEventStore, memoryLog, type Interference, type MemoryLog } from './memory-event-store.ts'
import type { CompanyKeys } from '../../src/identity/secrets/company-keys.ts'
import { memoryKeys } from './memory-keys.ts'
import { sampleDefinition, sampleDefinitions } from './sample-definitions.ts'

export const COMPANY = 'company-1'

/** Its state changes by actions alone, which need roles, comments and conditions, and some changes have names. */
const job: ObjectDefinition = {
  object: 'job',
  name: 'Job',
  application: 'Leasing',
  display: 'Title',
  fields: [
    { name: 'Title', type: 'text', required: true },
    { name: 'Tenant', type: 'lookup', target: 'tenant' },
    { name: 'Status', type: 'choice', choices: ['Open', 'Started', 'Done', 'Dropped'], strict: true },
    { name: 'Cost', type: 'money' },
    { name: 'From', type: 'date' },
    { name: 'Until', type: 'date', notBefore: 'From' },
    { name: 'DoneAt', type: 'timestamp' },
  ],
  workflow: {
    field: 'Status',
    initial: 'Open',
    states: ['Open', 'Started', 'Done', 'Dropped'],
    entry: ['Started'],
    strictStatus: true,
    transitions: [
      {
        action: 'start',
        done: 'started',
        from: ['Open'],
        to: 'Started',
        condition: "Tenant/IsActive eq true and contains(Tenant/Guarantor/Name, 'bea')",
      },
      {
        action: 'finish',
        done: 'finished',
        from: ['Started'],
        to: 'Done',
        roles: ['foreman', 'owner'],
        set: { DoneAt: 'now', Until: 'today', Cost: null },
      },
      { action: 'drop', done: 'dropped', from: ['Open', 'Started'], to: 'Dropped', requiresComment: true },
      { action: 'note', done: 'noted', from: ['Open'], to: 'Open' },
      { action: 'approve', done: 'approved', from: ['Done'], to: 'Done', selfApproval: true },
      { action: 'check', done: 'checked', from: ['Done'], to: 'Done', selfApproval: false },
    ],
  },
  events: [
    { name: 'job.completed', when: "Status eq 'Done'" },
    { name: 'job.expensive', when: 'Cost gt 1000' },
  ],
}

/** The sample definitions with unique fields, a StartDate that must be in the future, and a workflow; and jobs. */
export const definitions: Definitions = new Map([
  ...sampleDefinitions,
  [job.object, job],
  withFields('tenant', [
    { name: 'ExternalId', type: 'text', unique: true },
    { name: 'TaxNumber', type: 'integer', unique: true },
  ]),
  withFields(
    'contract',
    [
      { name: 'StartDate', type: 'date', required: true, afterTodayOnCreate: true },
      { name: 'Reference', type: 'text', unique: true },
    ],
    {
      transitions: [
        { action: 'submit', done: 'submitted', from: ['Draft'], to: 'PendingApproval' },
        { action: 'approve', done: 'approved', from: ['PendingApproval'], to: 'Active' },
        { action: 'recall', done: 'recalled', from: ['PendingApproval'], to: 'Draft' },
      ],
      events: [{ name: 'contract.marked', when: "Notes eq 'marked'" }],
    },
  ),
])

export function definition(object: string): ObjectDefinition {
  return definitions.get(object) ?? sampleDefinition(object)
}

function withFields(
  object: string,
  fields: readonly FieldDefinition[],
  { transitions, events }: { transitions?: readonly Transition[]; events?: readonly NamedEvent[] } = {},
): [string, ObjectDefinition] {
  const sample = sampleDefinition(object)
  const others = sample.fields.filter(({ name }) => !fields.some((field) => field.name === name))
  const workflow = transitions && { workflow: { ...sample.workflow!, transitions } }
  return [object, { ...sample, fields: [...others, ...fields], ...workflow, ...(events && { events }) }]
}

/** A clock that a test moves: `pass` lets time pass, `jump` only sets the wall clock. */
export interface ManualClock extends Clock {
  pass(milliseconds: number): void
  jump(to: string): void
}

export function manualClock(at = '2026-03-01T09:30:00.000Z'): ManualClock {
  let [now, elapsed] = [Date.parse(at), 0]
  return {
    now: () => now,
    elapsed: () => elapsed,
    pass(milliseconds) {
      now += milliseconds
      elapsed += milliseconds
    },
    jump: (to) => void (now = Date.parse(to)),
  }
}

/** The Key of a record, by a number. */
export function key(object: string, number: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32BE(number, 12)
  return keyOf(object, bytes)
}

/** The Key that a process gives to the record that it creates first, second, … */
export const newKey = (object: string, nth = 1, process = 1): string => key(object, process * 1_000 + nth)

export function countedIdentifiers(from: number): Identifiers {
  let [keys, commands] = [from, 0]
  return { newKey: (object) => key(object, ++keys), newCommand: () => derivedId(`${from}/${++commands}`) }
}

/** One request; `command` is another for each. */
export const caller = (rest: Partial<Caller> = {}): Caller => ({
  company: COMPANY,
  actor: 'user-1',
  correlation: randomUUID(),
  command: randomUUID(),
  ...rest,
})

export interface WriteSide {
  /** Seals answers of repeated requests. */
  readonly answers: CompanyKeys
  readonly log: MemoryLog
  readonly events: EventStore
  readonly clock: ManualClock
  readonly states: RecordStates
  readonly claims: UniqueClaims
  readonly numbers: NumberSequences
  readonly write: WriteRecords
  readonly newKey: Identifiers['newKey']
  readonly newCommand: Identifiers['newCommand']
}

export interface WriteSideOptions {
  readonly log?: MemoryLog
  readonly interference?: Interference
  readonly clock?: ManualClock
  readonly onlyWriter?: boolean
  /** Tells the processes on one log apart: each makes its own Keys. */
  readonly process?: number
  readonly identifiers?: Identifiers
  readonly readModels?: ReadModels
  /** Others than those of this file. */
  readonly definitions?: Definitions
  /** Another store than one on the log. */
  readonly events?: EventStore
}

/** A process: several on one log are several processes on one store. */
export function writeSide({
  log = memoryLog(),
  interference = {},
  clock = manualClock(),
  onlyWriter = true,
  process = 1,
  identifiers = countedIdentifiers(process * 1_000),
  definitions: own = definitions,
  readModels = readModelsOf(log, own),
  events = memoryEventStore({ log, interference }),
}: WriteSideOptions = {}): WriteSide {
  const states = recordStates({ events, onlyWriter })
  const keys = memoryKeys(clock.now)
  const claims = uniqueClaims({ events, states, clock, nameOf: keys.nameOf })
  const numbers = numberSequences({ events, clock, newCommand: identifiers.newCommand })
  const write = writeRecords({
    definitions: own,
    events,
    readModels,
    clock,
    identifiers,
    states,
    claims,
    numbers,
    locks: keyedLocks(),
    readLagMs: 2_000,
  })
  return { log, events, clock, states, claims, numbers, write, answers: keys, ...identifiers }
}

/** What the events of each record have made of it. */
export function recordsIn(
  log: MemoryLog,
): Map<string, { readonly company: Company; readonly state: RecordState }> {
  const records = new Map<string, { company: Company; state: RecordState }>()
  for (const event of log.all()) {
    if (objectOfKey(event.stream) === undefined) continue
    const state = evolve(records.get(event.stream)?.state ?? absent, event)
    records.set(event.stream, { company: event.metadata.company, state })
  }
  return records
}

/** Read models that are always up to date: they are folded from the log when they are asked. */
export function readModelsOf(log: MemoryLog, own: Definitions = definitions): ReadModels {
  const live = (company: Company, object: string) =>
    [...recordsIn(log)].filter(
      ([stream, { company: owner, state }]) =>
        owner === company && objectOfKey(stream) === object && state.status === 'live',
    )
  const definitionOf = (object: string) => own.get(object) ?? definition(object)
  const documentOf = (of: ObjectDefinition, stream: string, { fields, createdAt, modifiedAt }: RecordState) =>
    recordDocument({
      definition: of,
      definitions: own,
      key: stream,
      fields,
      createdAt,
      modifiedAt,
      displayOf: (object, looked) =>
        recordsIn(log).get(looked)?.state.fields[definitionOf(object).display] ?? null,
    })
  const records = (company: Company, object: string) =>
    live(company, object).map(([stream, { state }]) => {
      const document = documentOf(definitionOf(object), stream, state)
      return { key: stream, version: state.version, document, json: JSON.stringify(document) }
    })
  return {
    get: async (company, object, wanted) => records(company, object).find((record) => record.key === wanted),
    async list(company, { object, filter, offset, limit }) {
      const found = records(company, object).filter(
        ({ document }) => !filter || matches(filter, document, () => undefined),
      )
      return { records: found.slice(offset, offset + limit), total: found.length }
    },
    reached: async () => true,
    status: async () => [],
    close: async () => {},
  }
}
