/** Whoever had subscribed to an event when it happened was sent it, once, as the record then was; and nobody else. */
import { expect } from 'chai'
import { secondsOf } from '../../../src/domain/fields/dates.ts'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import { objectOfKey } from '../../../src/domain/records/key.ts'
import { absent, evolve, type RecordState } from '../../../src/domain/records/record.ts'
import { WEBHOOK } from '../../../src/webhooks/objects.ts'
import { documentIn } from './document-in.ts'
import type { OutboxInStory } from './outbox-in-story.ts'

/** @throws Error when a delivery is missing, is one too many, or says something else */
export function checkSent(outbox: OutboxInStory, events: readonly RecordedEvent[]): void {
  const states = new Map<string, RecordState>()
  const expected: string[] = []
  for (const event of events) {
    const { stream, type, position } = event
    const object = objectOfKey(stream)
    if (object === undefined) continue
    states.set(stream, evolve(states.get(stream) ?? absent, event))
    if (object === WEBHOOK) continue
    const body = bodyOf(event, states)
    for (const [hook, { status, fields }] of states)
      if (objectOfKey(hook) === WEBHOOK && status === 'live' && fields['IsActive'] === true)
        if ((fields['Events'] as string[]).some((pattern) => names(pattern, type)))
          expected.push(`${position} to ${hook}: ${body}`)
  }
  const sent = [...outbox.sent.values()].map(
    ({ endpoint, message }) => `${message.position} to ${endpoint}: ${message.body}`,
  )
  expect(sent.toSorted(), 'what was sent').to.deep.equal(expected.toSorted())
}

function bodyOf({ stream, type, metadata }: RecordedEvent, states: ReadonlyMap<string, RecordState>): string {
  const { status, version } = states.get(stream)!
  const deleted = status === 'deleted' ? { IsDeleted: true } : {}
  const data = { ...documentIn(states, stream), ...deleted, Version: version }
  return JSON.stringify({ Event: type, Timestamp: secondsOf(metadata.recordedAt), Data: data })
}

function names(pattern: string, type: string): boolean {
  const [object, ...rest] = pattern.split('.*')
  return pattern === '*' || pattern === type || (rest.length > 0 && type.startsWith(`${object}.`))
}
