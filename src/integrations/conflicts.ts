/** Fields that both sides have changed and nobody owns: a person takes one value or the other (docs/decisions/echo-and-conflicts.md). */
import type { Caller } from '../commands/command.ts'
import { derivedId } from '../commands/support/identifiers.ts'
import { Conflict, Invalid, NotFound, type Fault } from '../domain/errors.ts'
import type { Grant } from '../domain/grant.ts'
import type { Fields } from '../domain/json.ts'
import type { InboxRow } from '../ports/inbox.ts'
import { bodyOrFaults } from '../shapes/body.ts'
import type { ChangeResult } from './apply/results.ts'
import { resolution } from './bodies.ts'
import type { Integration } from './integration.ts'
import { noteCounterpart } from './send/counterparts.ts'
import { digestOf } from './send/digest.ts'
import { writeSending } from './send/follow-changes.ts'
import type { Disputed } from './send/merge.ts'
import { sendsRecords } from './sync/queue-records.ts'
import type { IntegrationWork } from './work.ts'

export interface Contested {
  readonly object: string
  readonly record: string
  readonly fields: readonly Disputed[]
}

export type Side = 'ours' | 'theirs'

/** What is disputed of a message. */
export function contestedOf({ results }: Pick<InboxRow, 'results'>): readonly Contested[] {
  const all = Array.isArray(results) ? (results as unknown as readonly ChangeResult[]) : []
  return all.flatMap(({ Object: object, Record: record, Disputed: fields }) =>
    record === null || !fields ? [] : [{ object, record, fields }],
  )
}

/** By field, whose value holds. @throws Invalid where a field is missing or is not disputed */
export function readSides(body: unknown, contested: readonly Contested[]): Readonly<Record<string, Side>> {
  const names = [...new Set(contested.flatMap(({ fields }) => fields.map(({ Field }) => Field)))]
  const read = bodyOrFaults(resolution, body)
  const { Take } = body as { readonly Take?: unknown }
  const sent = typeof Take === 'object' && Take !== null ? Object.keys(Take) : []
  const faults = [
    ...('faults' in read ? read.faults : []),
    ...names.filter((name) => !sent.includes(name)).map((name) => fault(name, 'is required: ours or theirs')),
    ...sent
      .filter((name) => !names.includes(name))
      .map((name) => fault(name, `is not in conflict; ${names.join(', ')} is`)),
  ]
  if ('data' in read && faults.length === 0) return read.data.Take
  throw new Invalid('The conflict is not resolved by this.', faults)
}

const fault = (name: string, Message: string): Fault => ({ Field: `Take.${name.slice(0, 60)}`, Message })

export interface Resolving {
  readonly integration: Integration
  readonly row: InboxRow
  readonly sides: Readonly<Record<string, Side>>
  /** What the person may change of the object. @throws where that is nothing */
  readonly grant: (object: string) => Grant
}

/** Sets what is theirs here, by the rights of the caller, and has sent to them what is ours. */
export async function resolveConflict(
  work: IntegrationWork,
  caller: Caller,
  given: Resolving,
): Promise<void> {
  const { integration, row, sides } = given
  for (const contested of contestedOf(row)) {
    const { object, record, fields } = contested
    const definition = work.definitions.get(object)
    if (!definition) throw new Conflict(`there is no object ${object} any more`)
    const grant = given.grant(object)
    const state = await work.states.load(caller.company, record)
    if (state.status !== 'live') throw new NotFound(`there is no ${record} any more`)
    const theirs = fields.filter(({ Field }) => sides[Field] === 'theirs')
    if (theirs.length > 0) {
      const body: Fields = Object.fromEntries(theirs.map(({ Field, Theirs }) => [Field, Theirs]))
      const command = derivedId(`${caller.command}/${record}`)
      const of = { definition, key: record, expected: [state.version], body, writing: 'replace' } as const
      await work.write.update({ ...caller, command, grant }, of)
    }
    // Theirs is known from now on: it is a change of theirs only when it is another.
    const agreed = Object.fromEntries(fields.map(({ Field, Theirs }) => [Field, digestOf(Theirs)]))
    await noteCounterpart(work, { company: caller.company, integration: integration.key, record }, { agreed })
    if (theirs.length < fields.length) await queueOurs(work, caller, integration, contested)
  }
  const { id, results } = row
  await work.inbox.settle(
    [{ id, integration: row.integration, state: 'applied', reason: 'a person has resolved it', results }],
    work.clock.now(),
  )
}

async function queueOurs(
  work: IntegrationWork,
  { command }: Caller,
  integration: Integration,
  { object, record }: Contested,
): Promise<void> {
  const file = work.files.get(integration.definition)
  const recordedAt = new Date(work.clock.now()).toISOString()
  for (const entry of (file?.send ?? []).filter((one) => one.object === object && sendsRecords(one)))
    await writeSending(work, integration, entry, {
      id: command,
      type: 'conflict',
      stream: record,
      metadata: { recordedAt },
    })
}
