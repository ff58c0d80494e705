/**
 * What records are known by in another system, and when what was last applied happened there. The Key of a link follows from
 * what it is of: there is one, and of two processes that change it one is refused.
 */
import type { Caller } from '../commands/command.ts'
import { appendIfFirst } from '../commands/support/append-if-first.ts'
import { derivedId, derivedKey, eventId } from '../commands/support/identifiers.ts'
import { metadataOf } from '../commands/support/metadata.ts'
import type { RecordStates } from '../commands/support/record-states.ts'
import type { Fields } from '../domain/json.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../ports/event-store.ts'
import { LINK } from './objects.ts'

export interface LinkName {
  /** Key of the integration. */
  readonly integration: string
  readonly object: string
  readonly externalId: string
}

export interface Link extends LinkName {
  readonly key: string
  /** 0: it is not there yet. */
  readonly version: number
  readonly record: string | undefined
  readonly sourceAt: string | undefined
}

export interface Links {
  load(company: string, name: LinkName): Promise<Link>
  /** Stores what is new about the link; false when another has changed it since it was loaded. */
  note(
    caller: Caller,
    link: Link,
    now: { readonly record: string; readonly at?: string | undefined },
  ): Promise<boolean>
}

export interface LinksOptions {
  readonly events: Pick<EventStore, 'append'>
  readonly states: Pick<RecordStates, 'load' | 'forget'>
  readonly clock: Pick<Clock, 'now'>
}

export function links({ events, states, clock }: LinksOptions): Links {
  return {
    async load(company, name) {
      const { integration, object, externalId } = name
      const key = derivedKey(LINK, JSON.stringify([company, integration, object, externalId]), 0)
      const { version, fields } = await states.load(company, key)
      const text = (field: string) => (fields[field] as string | undefined) ?? undefined
      return { ...name, key, version, record: text('Record'), sourceAt: text('SourceAt') }
    },
    async note(caller, link, { record, at = link.sourceAt }) {
      if (link.version > 0 && link.record === record && link.sourceAt === at) return true
      const { key, version, integration, object, externalId } = link
      const type = version === 0 ? `${LINK}.created` : `${LINK}.updated`
      const name = { Integration: integration, Object: object, ExternalId: externalId }
      const data: Fields = {
        ...(version === 0 && name),
        Record: record,
        ...(at !== undefined && { SourceAt: at }),
      }
      const command = derivedId(`${caller.command}/${key}/${version}`)
      const event = {
        id: eventId(command, key, 0),
        type,
        data,
        metadata: metadataOf({ ...caller, command }, { type, command: 'note', now: clock.now() }),
      }
      const { company } = caller
      try {
        return (
          (await appendIfFirst(events, { company, stream: key, expected: version, events: [event] })) !==
          undefined
        )
      } finally {
        states.forget(key)
      }
    },
  }
}
