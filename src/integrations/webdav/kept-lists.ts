/**
 * The files that an integration has seen, by what they are known by. They are kept in parts, each a stream whose last event has all
 * of it: a change stores its part alone.
 */
import { hash } from 'node:crypto'
import { appendIfFirst } from '../../commands/support/append-if-first.ts'
import { ownEvent } from '../../commands/support/own-event.ts'
import type { Company } from '../../domain/events/event.ts'
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { Kept, Presence } from './file-list.ts'

export interface ListName {
  readonly company: Company
  readonly integration: string
  readonly poll: string
}

export interface KeptPart {
  readonly version: number
  readonly files: ReadonlyMap<string, Kept>
}

export interface KeptLists {
  /** All parts, each by its number. */
  load(name: ListName): Promise<readonly KeptPart[]>
  /** false: another process was faster. @throws Unavailable */
  store(name: ListName, part: number, version: number, files: ReadonlyMap<string, Kept>): Promise<boolean>
}

export interface KeptListsOptions {
  readonly events: Pick<EventStore, 'append' | 'last'>
  readonly clock: Pick<Clock, 'now'>
  readonly newCommand: () => string
}

const PARTS = 32
/** Of files that are gone: those that went last. */
const MOST_GONE = 200
const PRESENCES: readonly Presence[] = ['there', 'missing', 'gone']

export const partOf = (id: string): number => Number.parseInt(hash('sha256', id).slice(0, 4), 16) % PARTS

export function keptLists({ events, clock, newCommand }: KeptListsOptions): KeptLists {
  return {
    load: ({ company, ...name }) =>
      Promise.all(
        Array.from({ length: PARTS }, async (_, part) => {
          const last = await events.last(company, streamOf(company, name, part))
          return { version: last?.version ?? 0, files: filesIn(last?.data['Files']) }
        }),
      ),
    async store({ company, ...name }, part, version, files) {
      const stream = streamOf(company, name, part)
      const data: Fields = {
        Integration: name.integration,
        Poll: name.poll,
        Part: part,
        Files: jsonOf(files),
      }
      const event = ownEvent({
        company,
        stream,
        type: 'integrationfiles.listed',
        data,
        now: clock.now(),
        command: newCommand(),
        name: 'list',
      })
      return (
        (await appendIfFirst(events, { company, stream, expected: version, events: [event] })) !== undefined
      )
    },
  }
}

// Not a Key: such streams are of records.
const streamOf = (company: Company, { integration, poll }: Omit<ListName, 'company'>, part: number): string =>
  `integrationfiles-${hash('sha256', JSON.stringify([company, integration, poll, part])).slice(0, 40)}`

function filesIn(stored: Json | undefined): ReadonlyMap<string, Kept> {
  if (!isObject(stored)) return new Map()
  return new Map(
    Object.entries(stored).map(([id, file]) => {
      const [path, tag, presence, seen, isBack] = file as readonly [string, string, number, number?, boolean?]
      const uncertain = seen === undefined ? undefined : { seen, isBack: isBack === true }
      return [id, { path, tag, presence: PRESENCES[presence]!, uncertain }]
    }),
  )
}

function jsonOf(files: ReadonlyMap<string, Kept>): Fields {
  const gone = [...files].filter(([, { presence }]) => presence === 'gone')
  const dropped = new Set(gone.slice(0, -MOST_GONE).map(([id]) => id))
  return Object.fromEntries(
    [...files]
      .filter(([id]) => !dropped.has(id))
      .map(([id, { path, tag, presence, uncertain }]) => {
        const known = [path, tag, PRESENCES.indexOf(presence)]
        return [id, uncertain ? [...known, uncertain.seen, uncertain.isBack] : known]
      }),
  )
}
