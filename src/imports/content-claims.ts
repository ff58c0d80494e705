/**
 * Files are known by what they hold: the same content under another name is not taken again, other content under the same name
 * is. Who appends to the content's stream first has it; pick-ups of schedules rely on this, and not on files being moved away.
 */
import type { Caller } from '../commands/command.ts'
import { appendIfFirst } from '../commands/support/append-if-first.ts'
import { eventId } from '../commands/support/identifiers.ts'
import { metadataOf } from '../commands/support/metadata.ts'
import type { Company } from '../domain/events/event.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../ports/event-store.ts'

const CLAIMED = 'importfile.claimed'
const RELEASED = 'importfile.released'

/** What is claimed: this content, for this object, by this profile. */
export interface Content {
  readonly object: string
  readonly profile: string | undefined
  readonly sha256: string
}

export interface ContentClaims {
  /**
   * Claims the content for an import that is about to be made.
   * @param again takes it from the one that has it
   * @returns the import that had it, if any; without `again` it still has it
   */
  take(caller: Caller, content: Content, importKey: string, again: boolean): Promise<string | undefined>
  /** Nothing happens when the import does not have it. */
  release(caller: Caller, content: Content, importKey: string): Promise<void>
}

export interface ContentClaimsOptions {
  readonly events: Pick<EventStore, 'append' | 'last'>
  readonly clock: Clock
  /** Hex digits that stand for the text, and that nobody can compute without a key of the company. */
  readonly nameOf: (company: Company, text: string) => Promise<string>
  /** Whether the import is there. */
  readonly isThere: (company: Company, importKey: string) => Promise<boolean>
}

/** A claim whose import is not there by now was left by a process that died. */
const LAPSES_MS = 30_000

export function contentClaims({ events, clock, nameOf, isThere }: ContentClaimsOptions): ContentClaims {
  const standing = async (company: Company, { object, profile, sha256 }: Content) => {
    const name = await nameOf(company, JSON.stringify(['importfile', object, profile ?? '', sha256]))
    const stream = `importfile-${name.slice(0, 40)}`
    const last = await events.last(company, stream)
    const owner = last?.type === CLAIMED ? (last.data['Import'] as string) : undefined
    return { stream, version: last?.version ?? 0, owner, at: last ? Date.parse(last.metadata.recordedAt) : 0 }
  }
  const add = (caller: Caller, stream: string, version: number, type: string, importKey: string) => {
    const { company, command } = caller
    const event = {
      id: eventId(command, `${stream}/${version}`, 0),
      type,
      data: { Import: importKey },
      metadata: metadataOf(caller, { type, command: 'import', now: clock.now() }),
    }
    return appendIfFirst(events, { company, stream, expected: version, events: [event] })
  }

  return {
    async take(caller, content, importKey, again) {
      const { company } = caller
      for (;;) {
        const { stream, version, owner, at } = await standing(company, content)
        if (owner === importKey) return undefined
        const isLeft = owner !== undefined && clock.now() - at > LAPSES_MS && !(await isThere(company, owner))
        const other = isLeft ? undefined : owner
        if (other !== undefined && !again) return other
        if (await add(caller, stream, version, CLAIMED, importKey)) return other
      }
    },
    async release(caller, content, importKey) {
      const { stream, version, owner } = await standing(caller.company, content)
      if (owner === importKey) await add(caller, stream, version, RELEASED, importKey)
    },
  }
}
