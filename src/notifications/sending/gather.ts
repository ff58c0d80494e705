/**
 * Digests: messages of one trigger to one recipient within a window are one mail at its end. The stream of the digest says what
 * is in it: its sender and those who add to it decide by its version, so nothing is added to one that is being sent.
 */
import type { RecordedEvent } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { windowOf, type Trigger } from '../triggers.ts'
import { messageKey, type MessageEvents, type MessageName } from './message-events.ts'

export interface Gathering {
  readonly messages: MessageEvents
  readonly events: Pick<EventStore, 'read'>
}

export interface ToGather {
  readonly name: MessageName
  readonly trigger: Trigger
  /** When it really was, in ms since 1970. */
  readonly since: number
  /** Of the first event of a message by itself. */
  readonly data: Fields
  readonly by: { readonly causation: string; readonly source: string }
}

/** What is in a digest: fewer and the mail is too long to be read. */
const MOST = 50

/** Adds the message to the digest of its window; it may be done twice. */
export async function gather({ messages, events }: Gathering, { name, trigger, since, data, by }: ToGather) {
  const { company, recipient } = name
  const window = windowOf(trigger)
  // By the clock, not by the first message: who works it out again comes to the same.
  const end = (Math.floor(since / window) + 1) * window
  const member = messageKey(name)
  for (let place = 0; ;) {
    const occurrence = `digest|${new Date(end).toISOString()}|${place}`
    const key = messageKey({ company, trigger: trigger.trigger, record: '', occurrence, recipient, at: end })
    const { fields, version } = await messages.load(company, key)
    const count = Number(fields['Count'] ?? 0)
    const isIn =
      version > 0 && membersIn(await events.read(company, key)).some((one) => one['Member'] === member)
    if (!isIn) {
      if (version > 0 && (fields['State'] !== 'due' || Number(fields['Attempts']) > 0 || count >= MOST)) {
        place++
        continue
      }
      const first = { ...data, Occurrence: occurrence, NotBefore: new Date(end).toISOString() }
      const { Record, Position, Template, TemplateVersion } = data as Fields & Record<string, string>
      const added = {
        Record: Record!,
        Position: Position!,
        Template: Template!,
        TemplateVersion: TemplateVersion!,
      }
      const of = { Member: member, Count: count + 1 }
      const [type, said] =
        version === 0
          ? (['created', { ...first, ...of }] as const)
          : (['gathered', { ...added, ...of }] as const)
      // Another was faster: it is looked at again.
      if (!(await messages.add({ company, key, version }, `notification.${type}`, said, by))) continue
    }
    const gathered = { ...data, State: 'gathered', Digest: key }
    await messages.add({ company, key: member, version: 0 }, 'notification.created', gathered, by)
    return
  }
}

/** What is in a digest, in the order in which it came; of a message by itself that alone. */
export function membersIn(stream: readonly RecordedEvent[]): readonly Fields[] {
  return stream.map(({ data }) => data).filter((data, place) => place === 0 || data['Member'] !== undefined)
}

/** Whether the message is a digest. */
export const isDigest = (fields: Fields): boolean => fields['Count'] !== undefined

/** How long the digest still gathers, in ms; 0: it may go. */
export function gathersFor({ NotBefore, Attempts }: Fields, now: number): number {
  if (typeof NotBefore !== 'string' || Number(Attempts ?? 0) > 0) return 0
  return Math.max(0, Date.parse(NotBefore) - now)
}
