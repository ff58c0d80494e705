/** What a payload means, done change by change. */
import { derivedId } from '../../commands/support/identifiers.ts'
import type { Caller, DryRun } from '../../commands/command.ts'
import { Conflict, Forbidden, Invalid, NotFound, TooLarge } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import type { Access } from '../../rights/access.ts'
import { fetchNamed } from '../calls/fetch-named.ts'
import type { Received } from '../definition/receive-schema.ts'
import { settingsOf, type Integration } from '../integration.ts'
import { changesOf, idOfBody, messagesOf, type Change, type Message } from '../mapping/plan.ts'
import { doubtOfAnswers } from '../receive/form-fields.ts'
import { isPolled } from '../receive/is-polled.ts'
import { untakenBy } from '../mapping/untaken.ts'
import { Awaited, Unmappable } from '../mapping/unmappable.ts'
import type { IntegrationWork } from '../work.ts'
import { applyChange, subjectOf } from './apply-change.ts'
import { applyRows } from './apply-rows.ts'
import type { ChangeResult } from './results.ts'

export interface PayloadToApply {
  readonly integration: Integration
  readonly entry: Received
  readonly access: Access
  readonly payload: Json
  readonly body: Uint8Array
  /** What led to it: the row of the inbox. */
  readonly cause: { readonly id: string; readonly receivedAt: number } | undefined
  readonly dryRun?: DryRun
}

export interface AppliedPayload {
  readonly results: readonly ChangeResult[]
  /** Of the first change that waits. */
  readonly waitsFor: string | undefined
  /** Of records that were changed. */
  readonly changed: readonly string[]
}

/** @throws Unavailable when the rest cannot be done now: what was done is known again */
export async function applyPayload(work: IntegrationWork, given: PayloadToApply): Promise<AppliedPayload> {
  const results: ChangeResult[] = []
  const changed: string[] = []
  const rows = new Map<string, Change[]>()
  const { polls } = given.entry
  if (polls !== undefined) {
    if (given.cause) work.pollSoon(given.integration, polls)
    results.push({ Object: '', Did: 'unchanged', Record: null, Reason: `the poll ${polls} is run` })
    return { results, waitsFor: undefined, changed }
  }
  const doubt = doubtOfAnswers(given.entry, given.payload)
  if (doubt !== undefined) {
    results.push({ Object: '', Did: 'rejected', Record: null, Reason: doubt })
    return { results, waitsFor: undefined, changed }
  }
  let waitsFor: string | undefined
  const plans = await plansOf(work, given)
  for (const { message, changes, refused, unknown } of plans) {
    if (unknown !== undefined) results.push({ Object: '', Did: 'ignored', Record: null, Reason: unknown })
    if (refused !== undefined) results.push({ Object: '', Did: 'rejected', Record: null, Reason: refused })
    for (const [index, change] of changes.entries()) {
      const { object } = change.rule
      if (work.definitions.get(object)?.appendOnly) {
        const together = rows.get(object) ?? []
        together.push(change)
        rows.set(object, together)
        continue
      }
      let awaited: string | undefined
      const result = await resultOf(work, given, message!, change, index).catch((error: unknown) => {
        if (!(error instanceof Awaited)) throw error
        awaited = error.subject
        return waitingResult(change, error.message)
      })
      results.push(result)
      if (result.Did === 'waiting') waitsFor ??= awaited ?? subjectOf(change)
      if (result.Did === 'created' || result.Did === 'updated') changed.push(subjectOf(change))
    }
  }
  for (const [object, all] of rows) results.push(...(await rowResults(work, given, object, all)))
  // What is stored of a payload is sealed: the log says only that no rule takes it.
  if (results.length === 0 && given.dryRun) results.push(nothingResult(given, plans))
  return { results, waitsFor, changed }
}

/** Of a payload that means no change at all. */
function nothingResult({ entry }: PayloadToApply, [first]: readonly Plan[]): ChangeResult {
  const Reason = first?.message
    ? untakenBy(entry, first.message.source)
    : `it has no item: there is nothing at ${entry.each}`
  return { Object: '', Did: 'ignored', Record: null, Reason }
}

const waitingResult = ({ rule }: Change, Reason: string): ChangeResult => ({
  Object: rule.object,
  Did: 'waiting',
  Record: null,
  Reason,
})

interface Plan {
  readonly message?: Message
  readonly changes: readonly Change[]
  readonly refused?: string
  readonly unknown?: string
}

/** @throws Later where what a message names cannot be fetched now */
async function plansOf(work: IntegrationWork, given: PayloadToApply): Promise<readonly Plan[]> {
  const { entry, payload, body } = given
  let messages: readonly Message[]
  try {
    messages = messagesOf(entry, payload, body)
  } catch (error) {
    return [refusedPlan(error)]
  }
  const plans: Plan[] = []
  for (const message of messages) plans.push(await planOf(work, given, message).catch(refusedPlan))
  return plans
}

/** @throws the error where it is not the message that is wrong */
function refusedPlan(error: unknown): Plan {
  if (!(error instanceof Unmappable)) throw error
  return { changes: [], refused: error.message }
}

async function planOf(
  work: IntegrationWork,
  { integration, entry, cause }: PayloadToApply,
  message: Message,
): Promise<Plan> {
  const file = work.files.get(integration.definition)
  const settings = settingsOf(integration, file)
  const source = { ...message.source, settings }
  if (entry.refetch === undefined) {
    // What is polled is known by the row: its Id alone says nothing of the sync that asked for it.
    const id = cause && isPolled(entry) ? `${cause.id} ${message.id}` : message.id
    const settled = { ...message, id, source }
    return { message: settled, changes: changesOf(entry, settled) }
  }
  const item = await fetchNamed(work.calls, { integration, file: file! }, entry.refetch, source)
  if (item === undefined) return { changes: [], unknown: 'the other system knows nothing of it' }
  // The same name means another state each time: what is done by it is known by the row that brought it.
  const fetched = {
    ...message,
    id: `${cause?.id ?? ''} ${message.id}`,
    source: { item, root: message.source.item, settings },
  }
  return { message: fetched, changes: changesOf(entry, fetched) }
}

async function rowResults(
  work: IntegrationWork,
  given: PayloadToApply,
  object: string,
  changes: readonly Change[],
): Promise<readonly ChangeResult[]> {
  const { integration, access, body } = given
  const caller = callerOf(work, given, [idOfBody(body), object])
  return refusedOr(object, () => applyRows(work, { integration, access, caller, changes }))
}

async function resultOf(
  work: IntegrationWork,
  given: PayloadToApply,
  { id, at }: Message,
  change: Change,
  index: number,
): Promise<ChangeResult> {
  const { integration, access } = given
  const caller = callerOf(work, given, [id, index])
  const [result] = await refusedOr(change.rule.object, async () => [
    await applyChange(work, { integration, access, at, caller }, change),
  ])
  return result!
}

/** @param of what makes the command that of this change alone */
function callerOf(
  work: IntegrationWork,
  { integration: { company, key, state }, entry, access, cause, dryRun }: PayloadToApply,
  of: readonly (string | number)[],
): Caller {
  return {
    company,
    actor: key,
    correlation: work.newCommand(),
    command: cause ? derivedId(JSON.stringify([key, entry.name, ...of])) : work.newCommand(),
    source: `integration:${key}`,
    // What was there before would flood those who follow changes.
    ...(state === 'initialising' && { quiet: true }),
    ...(cause && { causation: cause.id, repeatedFrom: cause.receivedAt }),
    reads: (object: string) => access.grant(object, 'read'),
    dryRun,
  }
}

/** What it comes to, also where it cannot be done. */
async function refusedOr(
  object: string,
  apply: () => Promise<readonly ChangeResult[]>,
): Promise<readonly ChangeResult[]> {
  try {
    return await apply()
  } catch (error) {
    const isRefused = [Unmappable, Invalid, Forbidden, NotFound, Conflict, TooLarge].some(
      (kind) => error instanceof kind,
    )
    if (!isRefused) throw error
    return [{ Object: object, Did: 'rejected', Record: null, Reason: (error as Error).message }]
  }
}
