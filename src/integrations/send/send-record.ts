/**
 * One attempt to send a change of a record. What is sent is fixed by the first attempt, which names the record's version: a repeat
 * is the same request. Whether an attempt may have arrived is stored before it is made; where it may, and the other system
 * does not know repeats by a key, it is asked first whether it has the record.
 */
import type { Company } from '../../domain/events/event.ts'
import { absent, evolve, type RecordState } from '../../domain/records/record.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { attemptHeld, attemptOver, type Send, type SendAttempt } from '../../ports/sending/send-attempt.ts'
import type { Answered, Called } from '../calls/call.ts'
import { fillRequest } from '../calls/fill-request.ts'
import { isApplying } from '../integration.ts'
import { evaluate } from '../mapping/evaluate.ts'
import { idOf, idsFound } from '../mapping/found.ts'
import { Unmappable } from '../mapping/unmappable.ts'
import { loadIntegration, type IntegrationWork } from '../work.ts'
import { outcomeOf } from './outcomes.ts'
import { settle, type Sending } from './settle.ts'
import { prepare, type Prepared } from './what-to-send.ts'

export interface SendRecordOptions {
  readonly work: IntegrationWork
  readonly events: Pick<EventStore, 'read'>
}

const HELD_MS = 5_000

/** Sends what the stream of a sending says (`webhooks/targets.ts`). */
export function recordSender({ work, events }: SendRecordOptions): Send {
  return async (company, { stream: key, isLast }) => {
    const sending = await work.steps.load(company, key)
    const { fields, version } = sending
    const state = fields['State'] as string
    if (sending.status !== 'live') return attemptOver('there is no such request')
    if (state !== 'due' && state !== 'attempting') return attemptOver(`it is ${state}`, state === 'sent')
    const at: Sending = { company, key, version, attempts: Number(fields['Attempts'] ?? 0), isLast }
    const found = await partsOf(work, company, fields['Integration'] as string, fields['Entry'] as string)
    if ('gone' in found) return settle(work, at, 'skipped', found.gone)
    if ('held' in found) return attemptHeld(found.held, HELD_MS)
    const record = fields['Record'] as string
    const fixed = (fields['SentVersion'] as number | null | undefined) ?? undefined
    const recordState = await stateAt({ work, events }, company, record, fixed)
    let prepared: Awaited<ReturnType<typeof prepare>>
    try {
      prepared = await prepare(work, { ...found, record, state: recordState })
    } catch (error) {
      if (error instanceof Unmappable) return settle(work, at, 'failed', error.message)
      throw error
    }
    if ('why' in prepared) return settle(work, at, 'skipped', prepared.why)
    if ('awaits' in prepared) {
      if (isLast) return settle(work, at, 'failed', prepared.awaits)
      return { isOver: false, isSent: false, detail: prepared.awaits }
    }
    const { counterpart, digest } = prepared
    if (counterpart.sent[found.entry.name] === digest) {
      if (state !== 'attempting') return settle(work, at, 'skipped', 'the other system has it as it is')
      // The process has died after it had noted the answer.
      const arrived = { ...found, record, recordState, prepared, externalId: counterpart.externalId }
      return settle(work, at, 'sent', 'it had arrived before', arrived)
    }
    const isUnclear = state === 'attempting' || fields['IsUnclear'] === true
    return attempt(work, { ...at, ...found, record, recordState, prepared, isUnclear })
  }
}

interface Attempt extends Sending, Parts {
  readonly record: string
  readonly recordState: RecordState
  readonly prepared: Prepared
  /** An earlier attempt may have arrived. */
  readonly isUnclear: boolean
}

async function attempt(work: IntegrationWork, given: Attempt): Promise<SendAttempt> {
  const { key, entry, file, integration, prepared, isUnclear, recordState } = given
  const { find, idempotency } = entry
  if (isUnclear && find && !prepared.isKnown) {
    const found = await work.calls.call(integration, file, fillRequest(find.request, prepared.source))
    const outcome = outcomeOf(found, [404])
    if (outcome.kind !== 'done') return notDone(work, given, found, outcome, true)
    const [id] = idsFound(find, (found as Answered).json, prepared.source)
    if (id !== undefined) {
      const isOwn = given.attempts > 0
      const why = isOwn ? 'it had arrived before' : 'it was there before, and is linked now'
      return settle(work, given, 'sent', why, { ...given, isOwn, externalId: id })
    }
  }
  // Once this is stored the request may have gone out, whatever becomes of the process.
  let next = given
  const begin = async () => {
    const data = { State: 'attempting', SentVersion: recordState.version, Attempts: given.attempts + 1 }
    const isFirst = await work.steps.add(given, 'sending.attempting', data)
    if (isFirst) next = { ...given, version: given.version + 1, attempts: given.attempts + 1 }
    return isFirst
  }
  const headers = { ...prepared.request.headers, ...(idempotency && { [idempotency.header]: key }) }
  const called = await work.calls.call(integration, file, { ...prepared.request, headers }, begin)
  const outcome = outcomeOf(called, entry.there ?? [])
  if (outcome.kind !== 'done') return notDone(work, next, called, outcome, isUnclear)
  const answered = called as Answered
  const source = { item: answered.json, root: prepared.source.root, settings: prepared.source.settings }
  const externalId = entry.answer && idOf(evaluate(entry.answer.link, source))
  const detail = `${answered.status} ${answered.text.slice(0, 500)}`.trim()
  return settle(work, next, 'sent', detail, { ...next, externalId }, answered)
}

async function notDone(
  work: IntegrationWork,
  given: Attempt,
  called: Called,
  outcome: Exclude<ReturnType<typeof outcomeOf>, { kind: 'done' }>,
  wasUnclear: boolean,
): Promise<SendAttempt> {
  const answered = called.kind === 'answered' ? called : undefined
  const isFinal = answered !== undefined && given.entry.settled?.includes(answered.status)
  if (isFinal) return settle(work, given, 'refused', outcome.detail, undefined, answered)
  if (outcome.kind === 'refused') return settle(work, given, 'failed', outcome.detail, undefined, answered)
  const part = `send ${given.entry.name}`
  const isForPerson = outcome.kind === 'held' && outcome.isForPerson
  if (isForPerson || (outcome.kind === 'again' && given.isLast))
    await work.health.trouble(given.integration, part, outcome.detail)
  if (outcome.kind === 'again' && given.isLast)
    return settle(work, given, 'failed', `given up: ${outcome.detail}`, undefined, answered)
  const isUnclear = wasUnclear || (outcome.kind === 'again' && outcome.isUnclear)
  const before = await work.steps.load(given.company, given.key)
  if (before.fields['State'] === 'attempting' || before.fields['IsUnclear'] !== isUnclear) {
    const data = { State: 'due', IsUnclear: isUnclear, Reason: outcome.detail }
    await work.steps.add({ ...given, version: before.version }, 'sending.deferred', data)
  }
  if (outcome.kind === 'held') return attemptHeld(outcome.detail, outcome.ms)
  return {
    isOver: false,
    isSent: false,
    detail: outcome.detail,
    ...(answered && { url: answered.url, status: answered.status }),
  }
}

type Parts = Pick<Parameters<typeof prepare>[1], 'integration' | 'file' | 'entry' | 'access'>

async function partsOf(
  work: IntegrationWork,
  company: Company,
  key: string,
  name: string,
): Promise<Parts | { readonly gone: string } | { readonly held: string }> {
  const integration = await loadIntegration(work, company, key)
  if (!integration || integration.state === 'off') return { gone: 'the integration is off' }
  if (!isApplying(integration)) return { held: 'the integration is paused' }
  const file = work.files.get(integration.definition)
  const entry = file?.send.find((one) => one.name === name)
  if (!file || !entry) return { gone: `${integration.definition} sends no ${name} any more` }
  const access = await work.accessOf(company, integration.runAs)
  return access ? { integration, file, entry, access } : { held: 'the company is suspended' }
}

/** The record at this version; without one as it is. */
async function stateAt(
  { work, events }: SendRecordOptions,
  company: Company,
  key: string,
  version: number | undefined,
): Promise<RecordState> {
  const now = await work.states.load(company, key)
  if (version === undefined || now.version === version) return now
  return (await events.read(company, key)).filter((event) => event.version <= version).reduce(evolve, absent)
}
