/**
 * The write side: load the state, decide, append at the version that was decided on. Conflicts with other processes are decided again; an acknowledged write is durable.
 */
import { lookupsTo, type Definitions, type ObjectDefinition } from '../domain/definition.ts'
import { Conflict, NotFound, TooLarge, Unavailable } from '../domain/errors.ts'
import { shows, sightOf, type Grant } from '../domain/grant.ts'
import type { Fields, Json } from '../domain/json.ts'
import { isKeyOf, objectOfKey } from '../domain/records/key.ts'
import { formatNumber } from '../domain/records/numbering.ts'
import { absent, evolve, type RecordState } from '../domain/records/record.ts'
import type { Writing } from '../domain/fields/changes.ts'
import type { Clock } from '../ports/clock.ts'
import { VersionConflict, type EventStore } from '../ports/event-store.ts'
import type { ReadModels } from '../ports/read-models.ts'
import type { Caller, Draft } from './command.ts'
import { createRows, type CreatesRows } from './create-rows.ts'
import { createRecord } from './create-record.ts'
import { deleteRecord } from './delete-record.ts'
import { derivedKey, type Identifiers } from './support/identifiers.ts'
import type { KeyedLocks } from './support/keyed-locks.ts'
import type { NumberSequences } from './support/number-sequence.ts'
import { checkVersion, type ExpectedVersion } from './support/expected-version.ts'
import { nameOfActor } from './support/actor-names.ts'
import { metadataOf, momentOfWrite } from './support/metadata.ts'
import { recordAppends, type Written } from './support/record-appends.ts'
import type { RecordStates } from './support/record-states.ts'
import { checkStays, readableOn, writableOn } from '../rights/reach.ts'
import { checkNoReferrers, checkReferences, lookedUp } from './support/references.ts'
import { restoreRecord } from './restore-record.ts'
import { standingOf } from './support/action-offers.ts'
import { ACTION_COMMAND } from './support/state-changes.ts'
import { takeAction, transitionOrNone } from './take-action.ts'
import { claimsOf, claimText, type UniqueClaims } from './support/unique-claims.ts'
import { updateRecord } from './update-record.ts'

export interface Create {
  readonly definition: ObjectDefinition
  readonly body: Json
  /** Dates of the past are taken (docs/open-facts.md 3). */
  readonly importing?: boolean
}

export interface Change {
  readonly definition: ObjectDefinition
  readonly key: string
  readonly expected?: ExpectedVersion | undefined
}

export interface Act extends Change {
  readonly action: string
  /** Names of the caller's roles. */
  readonly roles: readonly string[]
  /** Kept as the reason of the change. */
  readonly comment?: string | undefined
}

export interface WriteRecords extends CreatesRows {
  /**
   * What an earlier run of the same request has done, to the record of that Key or to one of that object that it created: what
   * checks something before it writes asks this first, for what was done stays done.
   */
  doneBefore(caller: Caller, keyOrObject: string): Promise<Written | undefined>
  create(caller: Caller, create: Create): Promise<Written>
  update(
    caller: Caller,
    change: Change & { readonly body: Json; readonly writing: Writing },
  ): Promise<Written>
  remove(caller: Caller, change: Change): Promise<Written>
  restore(caller: Caller, change: Change): Promise<Written>
  /** Takes a workflow action (docs/interface.md#workflow-routes); see `take-action.ts` for what is refused. */
  act(caller: Caller, action: Act): Promise<Written>
}

export interface WriteRecordsOptions {
  readonly definitions: Definitions
  readonly events: EventStore
  readonly readModels: ReadModels
  readonly clock: Clock
  readonly identifiers: Identifiers
  readonly states: RecordStates
  readonly claims: UniqueClaims
  readonly numbers: NumberSequences
  readonly locks: KeyedLocks
  /** How long a delete waits for the read models, in ms, before it can find the records that look the record up. */
  readonly readLagMs: number
}

/** Times that a command is decided again after another process was faster. */
const ATTEMPTS = 8
/** The largest record, in bytes of JSON (docs/open-facts.md 34). */
const MAX_RECORD_BYTES = 524_288

export function writeRecords(options: WriteRecordsOptions): WriteRecords {
  const appends = recordAppends(options)
  const { definitions, events, readModels, clock, identifiers, states, numbers, locks, readLagMs } = options

  /** Of a command that may be run again. */
  const derived = ({ command, repeatedFrom }: Caller, object: string) =>
    repeatedFrom === undefined ? undefined : derivedKey(object, command, repeatedFrom)
  const doneBefore: WriteRecords['doneBefore'] = async (caller, keyOrObject) => {
    const key = objectOfKey(keyOrObject) === undefined ? derived(caller, keyOrObject) : keyOrObject
    return key === undefined ? undefined : appends.doneBefore(caller, key)
  }

  const create: WriteRecords['create'] = async (caller, { definition, body, importing = false }) => {
    const now = clock.now()
    const { object } = definition
    const { company } = caller
    const key = derived(caller, object) ?? identifiers.newKey(object)
    const done = await appends.doneBefore(caller, key)
    if (done) return done
    const today = importing ? undefined : new Date(now).toISOString().slice(0, 10)
    const at = importing ? undefined : momentOfWrite(caller, now)
    const draft = createRecord({ definition, body, today, writable: sightOf(caller.grant ?? {}), at })
    const { type, data } = draft
    checkSize(data)
    const claimed = claimsOf(definition, data)
    const wanted = [
      ...lookedUp(definition, data).map((looked) => ({ key: looked, shared: true })),
      ...claimed.map((claim) => ({ key: claimText(caller.company, object, claim), shared: false })),
    ]
    return locks.holding(wanted, async () => {
      // Again: another process may have run the request meanwhile, and others changed what it made (the simulation shows it).
      const before = await appends.doneBefore(caller, key)
      if (before) return before
      await checkReferences(options, caller, definition, data)
      const metadata = metadataOf(caller, { type, command: 'create', now, definition })
      if (caller.grant?.shares) {
        const after = becoming(absent, draft, now)
        await checkStays(options, caller.grant, { company, definition, key, state: after }, body)
      }
      const assigned = () => numberFor(caller, definition, new Date(now).getUTCFullYear())
      return appends.append({ caller, definition, key, state: absent, metadata, draft, assigned })
    })
  }

  const numberFor = async (
    caller: Caller,
    { numbering, object }: ObjectDefinition,
    year: number,
  ): Promise<Fields> => {
    if (!numbering) return {}
    const place = await numbers.next(caller.company, object, numbering.pattern.includes('{year}') ? year : 0)
    return { [numbering.field]: formatNumber(numbering, year, place) }
  }

  /** The fields of the record that the caller may see. */
  const sightFor = async (caller: Caller, definition: ObjectDefinition, key: string, state: RecordState) =>
    sightOf(await readableOn(options, caller, { company: caller.company, definition, key, state }))

  /** Load, check, decide, append; again when another process was faster. `looked`: Keys that the change looks up. */
  const changing = (
    caller: Caller,
    { definition, key, expected, alsoDeleted = false }: Change & { readonly alsoDeleted?: boolean },
    looked: readonly string[],
    decide: (
      state: RecordState,
      reach: Grant,
    ) => Promise<{ draft: Draft | undefined; command: string; at?: number }>,
  ): Promise<Written> => {
    // Also another object's Key, and a stream of the service's own: nothing of this object has it.
    if (!isKeyOf(definition.object, key)) return Promise.reject(notFound(definition, key))
    const wanted = [{ key, shared: false }, ...looked.map((target) => ({ key: target, shared: true }))]
    return locks.holding(wanted, async () => {
      for (let attempt = 1; ; attempt++) {
        const state = await states.load(caller.company, key)
        // Looked for after the state was read: what comes later conflicts with it.
        const before = await appends.doneBefore(caller, key)
        if (before) return before
        const found = state.status === 'live' || (state.status === 'deleted' && alsoDeleted)
        const judged = { company: caller.company, definition, key, state }
        const reach = found ? await writableOn(options, caller, judged) : undefined
        if (!reach) throw notFound(definition, key)
        if (expected) {
          const sight = await sightFor(caller, definition, key, state)
          const nameOf = (actor: string) => nameOfActor(states, caller.company, actor)
          await checkVersion(events, caller.company, definition, key, state, expected, sight, nameOf)
        }
        const { draft, command, at: now = clock.now() } = await decide(state, reach)
        if (!draft) {
          const { position } = state
          const judged = caller.dryRun && { judgedOnly: true as const }
          return { key, state, position, created: false, unchanged: true, ...judged }
        }
        const metadata = metadataOf(caller, { type: draft.type, command, now, definition })
        try {
          return await appends.append({ caller, definition, key, state, metadata, draft })
        } catch (error) {
          if (!(error instanceof VersionConflict)) throw error
          if (attempt === ATTEMPTS)
            throw new Conflict(`${key} is being changed by others at this moment; try again`)
        }
      }
    })
  }

  return {
    doneBefore,
    create,
    createRows: createRows(options),
    update: (caller, change) =>
      changing(caller, change, lookedUp(change.definition, change.body), async (state, reach) => {
        const { definition, key, body } = change
        const judged = { writable: sightOf(reach), at: momentOfWrite(caller, clock.now()) }
        const draft = updateRecord({ ...change, ...judged }, state)
        if (draft) {
          checkSize({ ...state.fields, ...draft.data })
          await checkReferences(options, caller, definition, draft.data)
          if (reach.shares) {
            const after = becoming(state, draft, clock.now())
            await checkStays(options, reach, { company: caller.company, definition, key, state: after }, body)
          }
        }
        return { draft, command: change.writing === 'merge' ? 'patch' : 'put' }
      }),
    remove: (caller, change) =>
      changing(caller, change, [], async () => {
        // What nobody can look up can be deleted while the read models are away: revoking a token must not wait.
        if (lookupsTo(definitions, change.definition.object).length > 0) {
          if (!(await readModels.reached(await events.head(), readLagMs)))
            throw new Unavailable(
              'the read models lag too far behind to find the records that look this one up',
            )
          await checkNoReferrers(options, caller, change.definition, change.key)
        }
        return { draft: deleteRecord(change), command: 'delete' }
      }),
    async restore(caller, change) {
      // A deleted record does not change: what it looks up can be read before the locks are held.
      const { fields } = isKeyOf(change.definition.object, change.key)
        ? await states.load(caller.company, change.key)
        : absent
      const restoring = { ...change, alsoDeleted: true }
      return changing(caller, restoring, lookedUp(change.definition, fields), async (state) => {
        // What it looks up was chosen before; only whether that is still there matters.
        const restorer = { ...caller, reads: undefined }
        const { definition, key } = change
        const sight = await sightFor(caller, definition, key, state)
        await checkReferences(options, restorer, definition, state.fields, { key, sight })
        return { draft: restoreRecord(change, state), command: 'restore' }
      })
    },
    act: (caller, act) =>
      changing({ ...caller, reason: act.comment ?? caller.reason }, act, [], async (state) => {
        const { definition, key, action, comment, roles } = act
        const { company, actor, person = actor } = caller
        const transition = transitionOrNone(definition, action)
        const standing = await standingOf(options, {
          company,
          definition,
          key,
          state,
          transition,
          person,
          roles,
        })
        const at = clock.now()
        const sight = await sightFor(caller, definition, key, state)
        const seesState = shows(sight, definition.workflow?.field ?? '')
        const taken = { definition, action, comment, standing, seesState, at: new Date(at).toISOString() }
        const draft = takeAction(taken, state)
        checkSize({ ...state.fields, ...draft.data })
        return { draft, command: `${ACTION_COMMAND}${action}`, at }
      }),
  }
}

/** The state that the draft leads to. */
function becoming(before: RecordState, draft: Draft, now: number): RecordState {
  const metadata = { recordedAt: new Date(now).toISOString() }
  return evolve(before, { ...draft, version: before.version + 1, position: 0, metadata })
}

function notFound(definition: ObjectDefinition, key: string): NotFound {
  return new NotFound(`there is no ${definition.object} ${key.slice(0, 100)}`)
}

function checkSize(fields: Fields): void {
  if (atMostCharacters(fields) * MAX_BYTES_A_CHARACTER <= MAX_RECORD_BYTES) return
  const bytes = Buffer.byteLength(JSON.stringify(fields))
  if (bytes > MAX_RECORD_BYTES)
    throw new TooLarge(`a record of ${bytes} bytes is over the limit of ${MAX_RECORD_BYTES}`)
}

/** A control character becomes `\\u001f`. */
const MAX_BYTES_A_CHARACTER = 6

/** No less than the record has: most records need not be written out to know that they are small enough. */
function atMostCharacters(fields: Fields): number {
  let characters = 0
  for (const name in fields) {
    const value = fields[name]
    characters += name.length + 40
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'object' && value !== null) characters += JSON.stringify(value).length
  }
  return characters
}
