/**
 * Unique fields: a value belongs to at most one record, by a reservation stream of its own.
 *
 * The value is claimed before the record is written and released after the record has let it go. A process that dies in
 * between leaves a claim that its record does not bear out; the next that wants the value takes it over once the claim
 * is older than any command can be.
 */
import { hash } from 'node:crypto'
import type { FieldDefinition, ObjectDefinition } from '../../domain/definition.ts'
import { Conflict } from '../../domain/errors.ts'
import type { Company, EventMetadata, Position } from '../../domain/events/event.ts'
import { schemaOf } from '../../domain/events/upcast.ts'
import { recentlyUsed } from '../../domain/recently-used.ts'
import type { Fields, Json } from '../../domain/json.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { appendIfFirst } from './append-if-first.ts'
import { eventId } from './identifiers.ts'
import type { RecordStates } from './record-states.ts'

/** A unique value that a write brings with it. */
export interface Claim {
  readonly field: FieldDefinition
  readonly value: Json
}

export interface UniqueClaims {
  /**
   * Takes the values for the record.
   * @throws Conflict naming the fields whose value another record has; none is then taken
   */
  take(definition: ObjectDefinition, key: string, claims: readonly Claim[], by: ClaimedBy): Promise<void>
  /** Gives values back that the record has no more since the event at that position; what was claimed later stays. */
  release(
    definition: ObjectDefinition,
    key: string,
    claims: readonly Claim[],
    by: ClaimedBy,
    since?: Position,
  ): Promise<void>
  /** Gives values back that the record did not get; where others may rely on them they are left to lapse. */
  giveUp(definition: ObjectDefinition, key: string, claims: readonly Claim[], by: ClaimedBy): Promise<void>
  /**
   * The record that has the value.
   * @param ask what reads of the event store go through; the key of the company is found before, and not by it
   */
  ownerOf(
    company: Company,
    definition: ObjectDefinition,
    claim: Claim,
    ask?: <T>(read: () => Promise<T>) => Promise<T>,
  ): Promise<string | undefined>
}

export interface ClaimedBy {
  readonly command: string
  readonly metadata: EventMetadata
  /** A command of another process may be writing the same record, and rely on the same claims. */
  readonly sharesClaims: boolean
}

export interface UniqueClaimsOptions {
  readonly events: Pick<EventStore, 'append' | 'last'>
  readonly states: Pick<RecordStates, 'load'>
  readonly clock: Clock
  /** Hex digits that stand for the text, and that nobody can compute without a key of the company. */
  readonly nameOf: (company: Company, text: string) => Promise<string>
  /** Values that were there before their field became unique, while they are being claimed. */
  readonly unclaimed?: UnclaimedValues
}

export interface UnclaimedValues {
  /** Whether the field has such values. */
  has(object: string, field: string): boolean
  /** Keys of records that may have the value, by the read models, oldest first. */
  bearers(company: Company, definition: ObjectDefinition, claim: Claim): Promise<readonly string[]>
}

/**
 * No command takes this long from its claim to the end of its append: it gives up before it appends (`record-appends.ts`), and
 * the store answers or gives up well before.
 */
export const LONGEST_COMMAND_MS = 30_000
/** How far clocks of processes may differ: a claim older than this, and than any command, is dangling at first sight. */
const CLOCKS_DIFFER_MS = 10 * 60_000
/** Claims of others that are watched at a time. */
const WATCHED = 10_000

/** What is claimed, as one text. It holds the value: it is never stored. */
export function claimText(company: Company, object: string, { field, value }: Claim): string {
  return JSON.stringify([company, object, field.name, value])
}

/** The same in 48 bits, for those who remember many. */
export function claimHash(company: Company, object: string, claim: Claim): number {
  return hash('sha1', claimText(company, object, claim), 'buffer').readUIntBE(0, 6)
}

/** The stream of the value: who has the events does not learn the value by its name. */
export async function claimStreamOf(
  nameOf: UniqueClaimsOptions['nameOf'],
  company: Company,
  object: string,
  claim: Claim,
): Promise<string> {
  return `claim-${(await nameOf(company, claimText(company, object, claim))).slice(0, 40)}`
}

/** The values of unique fields among these. Numbers that the service assigns are unique already. */
export function claimsOf(definition: ObjectDefinition, fields: Fields): Claim[] {
  return definition.fields
    .filter((field) => field.unique && field.name !== definition.numbering?.field)
    .map((field) => ({ field, value: fields[field.name] ?? null }))
    .filter(({ value }) => value !== null)
}

export function uniqueClaims({
  events,
  states,
  clock,
  nameOf,
  unclaimed,
}: UniqueClaimsOptions): UniqueClaims {
  const claimStream = (company: Company, object: string, claim: Claim): Promise<string> =>
    claimStreamOf(nameOf, company, object, claim)

  const firstSeen = recentlyUsed<number>(WATCHED)
  /** Whether no command can still rely on the claim, by what this process has seen: another's clock may be wrong. */
  const isLapsed = (stream: string, version: number, at: number): boolean => {
    if (clock.now() - at >= LONGEST_COMMAND_MS + CLOCKS_DIFFER_MS) return true
    const name = `${stream} ${version}`
    const seen = firstSeen.get(name)
    if (seen === undefined) firstSeen.set(name, clock.elapsed())
    return seen !== undefined && clock.elapsed() - seen >= LONGEST_COMMAND_MS
  }

  const standing = async (company: Company, stream: string) => {
    const last = await events.last(company, stream)
    const owner = last?.type === 'claim.taken' ? (last.data['Key'] as string) : undefined
    const at = last ? Date.parse(last.metadata.recordedAt) : 0
    return { version: last?.version ?? 0, owner, at, position: last?.position ?? 0 }
  }

  const bears = async (company: Company, key: string, { field, value }: Claim): Promise<boolean> => {
    const state = await states.load(company, key)
    return state.status === 'live' && state.fields[field.name] === value
  }

  /** The record other than this one that has the value, and has not claimed it. */
  const unclaimedBearer = async (
    company: Company,
    definition: ObjectDefinition,
    claim: Claim,
    except?: string,
  ): Promise<string | undefined> => {
    if (!unclaimed?.has(definition.object, claim.field.name)) return undefined
    for (const key of await unclaimed.bearers(company, definition, claim))
      if (key !== except && (await bears(company, key, claim))) return key
    return undefined
  }

  const takeOne = async (
    definition: ObjectDefinition,
    key: string,
    claim: Claim,
    { command, metadata }: ClaimedBy,
  ): Promise<boolean> => {
    const { company } = metadata
    const stream = await claimStream(company, definition.object, claim)
    for (;;) {
      const { version, owner, at } = await standing(company, stream)
      if (owner && (await bears(company, owner, claim))) return owner === key
      // One's own claim is renewed: by its version and age others see whether it is dangling.
      if (owner && owner !== key && !isLapsed(stream, version, at)) return false
      if (unclaimed && (await unclaimedBearer(company, definition, claim, key))) return false
      const taken = {
        id: eventId(command, `${stream}/${version}`, 0),
        type: 'claim.taken',
        data: { Key: key, Object: definition.object, Field: claim.field.name },
        metadata: {
          ...metadata,
          recordedAt: new Date(clock.now()).toISOString(),
          schema: schemaOf('claim.taken'),
        },
      }
      if (await appendIfFirst(events, { company, stream, expected: version, events: [taken] })) return true
    }
  }

  const releaseOne = async (
    definition: ObjectDefinition,
    key: string,
    claim: Claim,
    { command, metadata }: ClaimedBy,
    since: Position,
  ) => {
    const { company } = metadata
    const stream = await claimStream(company, definition.object, claim)
    const { version, owner, position } = await standing(company, stream)
    if (owner !== key || position > since) return
    const released = {
      id: eventId(command, `${stream}/${version}`, 0),
      type: 'claim.released',
      data: { Key: key },
      metadata: { ...metadata, schema: schemaOf('claim.released') },
    }
    await appendIfFirst(events, { company, stream, expected: version, events: [released] })
  }

  const release: UniqueClaims['release'] = async (
    definition,
    key,
    claims,
    by,
    since = Number.POSITIVE_INFINITY,
  ) => {
    for (const claim of claims) await releaseOne(definition, key, claim, by, since)
  }

  const giveUp: UniqueClaims['giveUp'] = async (definition, key, claims, by) => {
    if (!by.sharesClaims) await release(definition, key, claims, by)
  }

  return {
    async take(definition, key, claims, by) {
      const taken: Claim[] = []
      for (const claim of claims) {
        if (await takeOne(definition, key, claim, by)) taken.push(claim)
        else {
          await giveUp(definition, key, taken, by)
          throw duplicate(definition, claim.field)
        }
      }
    },
    release,
    giveUp,
    async ownerOf(company, definition, claim, ask = (read) => read()) {
      const stream = await claimStream(company, definition.object, claim)
      return ask(async () => {
        const { owner } = await standing(company, stream)
        if (owner && (await bears(company, owner, claim))) return owner
        return unclaimedBearer(company, definition, claim)
      })
    },
  }
}

/** The fault of a value that another record has. */
export function duplicate({ object }: ObjectDefinition, { name }: Pick<FieldDefinition, 'name'>): Conflict {
  const message = `another ${object} has this value`
  return new Conflict(`${name}: ${message}`, [{ Field: name, Message: message }])
}
