/** What must hold of every story that a simulation tells, whatever went wrong in it. */
import { expect } from 'chai'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import type { Json } from '../../../src/domain/json.ts'
import { objectOfKey } from '../../../src/domain/records/key.ts'
import { absent, evolve, type RecordState } from '../../../src/domain/records/record.ts'
import { searchedText } from '../../../src/domain/search/searched-text.ts'
import type { MemoryReadSide } from '../../support/memory-read-side.ts'
import { COMPANY, definition, definitions } from '../../support/write-side.ts'
import { checkSent } from './check-sent.ts'
import { documentIn } from './document-in.ts'
import { VALUES } from './requests.ts'
import type { Story } from './tell-story.ts'

/**
 * The story, when it kept every promise.
 * @throws Error naming the first promise that was broken
 */
export function checkStory(story: Story): Story {
  const { log, requests, alone, lastStep, refusedValues, models } = story
  const told = log.all()
  const events = told.filter(({ stream }) => definitions.has(objectOfKey(stream) ?? ''))
  const byRequest = Map.groupBy(events, ({ metadata }) => metadata.$correlationId)
  const states = statesAfterEach(events)

  for (const { name, answer, repeatable, twice } of requests) {
    const done = byRequest.get(name) ?? []
    const [event, ...named] = done
    const marked = event && isMarked(states, event, 0) && !isMarked(states, event, -1)
    expect(
      named.map(({ stream, type, version }) => [stream, type, version]),
      `${name}: events of one request beside its own`,
    ).to.deep.equal(marked ? [[event.stream, 'contract.marked', event.version + 1]] : [])
    if (answer === 'refused' && !repeatable) expect(done, `${name}: refused, and yet done`).to.deep.equal([])
    if (answer === undefined || answer === 'refused') continue
    const state = states.get(`${answer.key}/${answer.version}`)
    expect(state?.fields, `${name}: what was acknowledged is what was stored`).to.deep.equal(answer.fields)
    const last = done.at(-1)
    if (last && !twice)
      expect([last.stream, last.version], `${name}: the event acknowledged`).to.deep.equal([
        answer.key,
        answer.version,
      ])
  }

  checkActions(events)

  const numbers = events.flatMap(({ data, type }) =>
    type === 'contract.created' ? [data['ContractNumber']] : [],
  )
  expect(new Set(numbers).size, 'numbers given twice').to.equal(numbers.length)

  const ids = told.map(({ id }) => id)
  expect(new Set(ids).size, 'ids of events').to.equal(ids.length)

  const now = new Map<string, RecordState>()
  for (const event of events) {
    if (event.position > lastStep) break
    now.set(event.stream, evolve(now.get(event.stream) ?? absent, event))
    checkMoment(now, event, alone)
  }
  const live = [...now.values()].filter(({ status }) => status === 'live')
  const had = VALUES.filter((value) => live.some(({ fields }) => fields['ExternalId'] === value))
  expect(refusedValues.toSorted(), 'values that could not be had in the end').to.deep.equal(had)
  checkShown(models, told)
  checkSent(story.outbox, told)
  return story
}

/** What is shown, and by which words it is found, is what all events say. */
function checkShown(models: MemoryReadSide, events: readonly RecordedEvent[]): void {
  const states = new Map<string, RecordState>()
  for (const event of events)
    if (definitions.has(objectOfKey(event.stream) ?? ''))
      states.set(event.stream, evolve(states.get(event.stream) ?? absent, event))
  const expected = [...states]
    .filter(([, { status }]) => status === 'live')
    .map(([key]) => {
      const document = documentIn(states, key)
      const text = searchedText(definition(objectOfKey(key)!), document)
      return [key, { json: JSON.stringify(document), text }] as const
    })
  const shown = [...models.copy(COMPANY)].filter(([key]) => definitions.has(objectOfKey(key) ?? ''))
  expect(Object.fromEntries(shown), 'what is shown').to.deep.equal(Object.fromEntries(expected))
}

/** Each action led from where it may, and nobody approved what they had submitted. */
function checkActions(events: readonly RecordedEvent[]): void {
  const from: Readonly<Record<string, string>> = {
    submitted: 'Draft',
    approved: 'PendingApproval',
    recalled: 'PendingApproval',
  }
  const standing = new Map<string, { readonly status: Json; readonly actor: string }>()
  for (const { stream, type, data, metadata, position } of events) {
    const [, step] = type.split('.workflow.')
    const before = standing.get(stream)
    if (step !== undefined && before?.status !== from[step])
      throw new Error(`at ${position}: ${stream} was ${step} while ${JSON.stringify(before?.status)}`)
    if (step === 'approved' && before?.actor === metadata.actor)
      throw new Error(`at ${position}: ${stream} was approved by whoever submitted it`)
    if (data['Status'] !== undefined) standing.set(stream, { status: data['Status'], actor: metadata.actor })
  }
}

/** What must hold between live records at every moment. */
function checkMoment(now: ReadonlyMap<string, RecordState>, event: RecordedEvent, alone: boolean): void {
  const live = [...now].filter(([, { status }]) => status === 'live')
  for (const name of ['ExternalId', 'Reference']) {
    const values = live.flatMap(([, { fields }]) => (fields[name] === undefined ? [] : [fields[name]]))
    if (new Set(values).size < values.length) throw new Error(`at ${event.position}: ${name} of two records`)
  }
  if (!alone) return // deletion and lookup in two processes may cross: only locks of one process keep them apart
  for (const [key, { fields }] of live)
    for (const looked of [fields['Tenant'], fields['Guarantor']])
      if (typeof looked === 'string' && now.get(looked)?.status !== 'live')
        throw new Error(`at ${event.position}: ${key} looks up ${looked}, which is not there`)
}

/** Whether the condition of the named event is true of the record at this event, or at the one before. */
function isMarked(
  states: ReadonlyMap<string, RecordState>,
  { stream, version }: RecordedEvent,
  offset: number,
): boolean {
  return states.get(`${stream}/${version + offset}`)?.fields['Notes'] === 'marked'
}

/** The state of each record after each of its events, by `<key>/<version>`. */
function statesAfterEach(events: readonly RecordedEvent[]): ReadonlyMap<string, RecordState> {
  const states = new Map<string, RecordState>()
  for (const event of events) {
    const before = states.get(`${event.stream}/${event.version - 1}`) ?? absent
    states.set(`${event.stream}/${event.version}`, evolve(before, event))
  }
  return states
}
