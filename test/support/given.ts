/**
 * The words in which tests of the write side are written:
 *
 *     given(ann).when(update(key('tenant', 1), { Name: 'Bea' })).then(happened(key('tenant', 1), 'tenant.updated', …))
 */
import { expect } from 'chai'
import type { Caller } from '../../src/commands/command.ts'
import type { ExpectedVersion } from '../../src/commands/support/expected-version.ts'
import type { Written } from '../../src/commands/support/record-appends.ts'
import type { WriteRecords } from '../../src/commands/write-records.ts'
import type { Writing } from '../../src/domain/fields/changes.ts'
import type { Fault } from '../../src/domain/errors.ts'
import type { Company } from '../../src/domain/events/event.ts'
import type { Fields, Json } from '../../src/domain/json.ts'
import { objectOfKey } from '../../src/domain/records/key.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import { newEvent, type GivenEvent } from './events.ts'
import { caller, COMPANY, definition, writeSide, type WriteSide } from './write-side.ts'

/** Something that happened to a record: given, or expected. */
export interface Happened {
  readonly stream: string
  readonly type: string
  readonly data: Fields
}

export const happened = (stream: string, type: string, data: Fields = {}): Happened => ({
  stream,
  type,
  data,
})

/** Appends what happened, one event after the other. */
export async function record(
  events: EventStore,
  happenings: readonly (Happened & GivenEvent)[],
  company: Company = COMPANY,
): Promise<void> {
  for (const { stream, ...event } of happenings) {
    const expected = (await events.read(company, stream)).length
    await events.append({ company, stream, expected, events: [newEvent({ company, ...event })] })
  }
}

/** A command, told what to work on. */
export type Doing = (write: WriteRecords) => Promise<Written>

export const create =
  (
    object: string,
    body: Json,
    { importing = false, ...by }: Partial<Caller> & { importing?: boolean } = {},
  ): Doing =>
  (write) =>
    write.create(caller(by), { definition: definition(object), body, importing })

export const update =
  (
    stream: string,
    body: Json,
    {
      writing = 'merge',
      expected,
      ...by
    }: Partial<Caller> & { writing?: Writing; expected?: ExpectedVersion | undefined } = {},
  ): Doing =>
  (write) =>
    write.update(caller(by), { ...changeOf(stream, expected), body, writing })

export const remove =
  (
    stream: string,
    { expected, ...by }: Partial<Caller> & { expected?: ExpectedVersion | undefined } = {},
  ): Doing =>
  (write) =>
    write.remove(caller(by), changeOf(stream, expected))

export const restore =
  (
    stream: string,
    { expected, ...by }: Partial<Caller> & { expected?: ExpectedVersion | undefined } = {},
  ): Doing =>
  (write) =>
    write.restore(caller(by), changeOf(stream, expected))

export const act =
  (
    stream: string,
    action: string,
    {
      comment,
      roles = [],
      expected,
      ...by
    }: Partial<Caller> & {
      comment?: string
      roles?: readonly string[]
      expected?: ExpectedVersion | undefined
    } = {},
  ): Doing =>
  (write) =>
    write.act(caller(by), { ...changeOf(stream, expected), action, roles, comment })

function changeOf(stream: string, expected: ExpectedVersion | undefined) {
  return { definition: definition(objectOfKey(stream) ?? 'contract'), key: stream, expected }
}

type ErrorClass = abstract new (...given: never[]) => Error & { readonly faults?: readonly Fault[] }

/** Given what happened, when a command comes, then this happens to records, or the command is refused. */
export function given(...facts: readonly Happened[]) {
  const after = (doing: Doing, side: WriteSide) => {
    const outcome = record(side.events, facts).then(async () => {
      const start = side.log.rows.length
      const [written] = await Promise.allSettled([doing(side.write)])
      const events = side.log.all(start).filter(({ stream }) => objectOfKey(stream) !== undefined)
      return { written, events: events.map(({ stream, type, data }) => ({ stream, type, data })) }
    })
    const then = async (...expected: readonly Happened[]): Promise<Written> => {
      const { written, events } = await outcome
      if (written.status === 'rejected') throw written.reason
      expect(events).to.deep.equal(expected)
      return written.value
    }
    return {
      then,
      thenNothing: () => then(),
      /** Each fault as `Field: Message`. */
      async thenRefused(by: ErrorClass, ...faults: readonly string[]): Promise<void> {
        const { written, events } = await outcome
        expect(events).to.deep.equal([])
        expect(faultsOf(written, by)).to.deep.equal(faults)
      },
    }
  }
  return {
    when: (doing: Doing, side: WriteSide = writeSide()) => after(doing, side),
  }
}

/** The faults that a refusal names, as `Field: Message`. */
export function faultsOf(outcome: PromiseSettledResult<unknown>, by: ErrorClass): string[] {
  if (outcome.status === 'fulfilled') throw new Error('it was not refused')
  expect(outcome.reason).to.be.instanceOf(by)
  const { faults = [] } = outcome.reason as { faults?: readonly Fault[] }
  return faults.map(({ Field, Message }) => `${Field}: ${Message}`)
}
