/**
 * Asks the other system for what was changed since it was last asked, page after page, and keeps it in the inbox: there it goes
 * the way of every message. How far it has come is stored after what it covers, so that a process that dies loses nothing;
 * what is asked for twice is kept once.
 */
import { timestampOf } from '../../domain/fields/dates.ts'
import { isObject, type Json } from '../../domain/json.ts'
import type { Arrival } from '../../ports/inbox.ts'
import { goodJson } from '../calls/fetch-named.ts'
import { FOR_PERSON_MS, Later } from '../calls/later.ts'
import type { FilledRequest } from '../calls/call.ts'
import { fillRequest } from '../calls/fill-request.ts'
import type { IntegrationDefinition } from '../definition/integration-schema.ts'
import type { Polled } from '../definition/poll-schema.ts'
import type { Received } from '../definition/receive-schema.ts'
import { settingsOf, type Integration } from '../integration.ts'
import { evaluate, type Source } from '../mapping/evaluate.ts'
import { valueAt } from '../mapping/path.ts'
import { idOfBody } from '../mapping/plan.ts'
import { Unmappable } from '../mapping/unmappable.ts'
import { inboxId } from '../receive/inbox-id.ts'
import { isPolled } from '../receive/is-polled.ts'
import { sourceOf } from '../receive/source-of.ts'
import { pollFiles } from '../webdav/poll-files.ts'
import type { IntegrationWork } from '../work.ts'
import { loadReached, noteReached, type Reached } from './reached.ts'
import { nextPage } from './pages.ts'

export interface PollRun {
  readonly integration: Integration
  readonly file: IntegrationDefinition
  readonly poll: Polled
  /** Everything is asked for, and taken over once more: when that was asked for. */
  readonly full?: string | undefined
  /** Rests for so many ms. @throws when the process stops */
  readonly wait: (ms: number) => Promise<void>
}

const MOST_PAGES = 2_000
/** The rate of the other system is waited for as long; else the poll goes on another time. */
const PATIENCE_MS = 60_000
/** More than so many undecided messages: it goes on when they are decided on. */
const MOST_PENDING = 20_000

/** How many items came. @throws Later; Unavailable */
export async function pollOnce(work: IntegrationWork, run: PollRun): Promise<number> {
  const { integration, file, poll, full } = run
  const entry = file.receive.find(({ name }) => name === poll.as)!
  const stored = await loadReached(work, integration, poll.name)
  const reached = full === undefined ? stored : { ...stored, checkpoint: undefined, resume: undefined }
  const source = { item: undefined, root: undefined, settings: settingsOf(integration, file) }
  if (poll.walk) return walkOnce(work, run, { entry, reached, source })
  let request: FilledRequest | undefined = firstRequest(poll, reached, source)
  let { checkpoint, resume } = reached
  let count = 0
  for (let page = 1; request; page++) {
    if (page > MOST_PAGES) throw new Later(`there are more than ${MOST_PAGES} pages`, poll.every * 1_000)
    const called = await askPatiently(work, run, request)
    if (called.isGone && reached.resume !== undefined) {
      await noteReached(work, integration, poll.name, { ...reached, resume: undefined })
      throw new Later('what was reached is too long ago: it begins again', 1_000)
    }
    const json = goodJson(called.answer)
    const items = itemsOf(json, poll.items)
    await keep(work, run, entry, items)
    count += items.length
    checkpoint = latest(poll, items, checkpoint)
    const next = nextPage(poll.page, { request, json, items, page })
    resume = next.resume ?? resume
    request = next.request
  }
  await noteReached(work, integration, poll.name, { ...reached, checkpoint, resume })
  return count
}

async function walkOnce(
  work: IntegrationWork,
  run: PollRun,
  {
    entry,
    reached,
    source,
  }: { readonly entry: Received; readonly reached: Reached; readonly source: Source },
): Promise<number> {
  const { integration, poll } = run
  const count = await pollFiles(work, {
    integration,
    poll,
    top: fillRequest(poll.request, source),
    isFull: run.full !== undefined,
    ask: async (request) => (await askPatiently(work, run, request)).answer,
    keep: (items) => keep(work, run, entry, items),
  })
  await noteReached(work, integration, poll.name, reached)
  return count
}

async function askPatiently(
  work: IntegrationWork,
  { integration, file, wait }: PollRun,
  request: FilledRequest,
) {
  for (let waited = 0; ;) {
    if ((await work.inbox.pending(integration.key, MOST_PENDING)) >= MOST_PENDING)
      throw new Later('too many messages wait to be applied', 10_000)
    const answer = await work.calls.call(integration, file, request)
    if (answer.kind !== 'held' || waited + answer.ms > PATIENCE_MS)
      return { answer, isGone: answer.kind === 'answered' && answer.status === 410 }
    waited += answer.ms
    await wait(answer.ms)
  }
}

function firstRequest(
  { request, since }: Polled,
  { checkpoint, resume }: Reached,
  source: Source,
): FilledRequest {
  const filled = fillRequest(request, source)
  if (resume !== undefined) return { ...filled, path: resume }
  const from = checkpoint === undefined ? undefined : Date.parse(checkpoint) - (since?.overlap ?? 0) * 1_000
  const at = from === undefined ? since?.atFirst : timestampOf(from)
  if (!since || at === undefined) return filled
  const text = stampOf(at, since.as)
  if ('header' in since.send) return { ...filled, headers: { ...filled.headers, [since.send.header]: text } }
  const separator = filled.path.includes('?') ? '&' : '?'
  const parameter = `${encodeURIComponent(since.send.parameter)}=${encodeURIComponent(text)}`
  return { ...filled, path: filled.path + separator + parameter }
}

function stampOf(at: string, as: 'iso' | 'unix' | 'http' | 'date'): string {
  if (as === 'unix') return String(Math.floor(Date.parse(at) / 1_000))
  if (as === 'http') return new Date(at).toUTCString()
  return as === 'date' ? at.slice(0, 10) : at
}

/** The items of a list, or of an object that has them by their names. @throws Later where there is no list */
function itemsOf(json: Json, path: string): readonly Json[] {
  const found = valueAt(path, json)
  if (Array.isArray(found)) return found as readonly Json[]
  if (isObject(found)) return Object.values(found)
  throw new Later(`the answer has no list at ${path}`, FOR_PERSON_MS)
}

/** The latest change among the items; what does not say when counts for nothing. */
function latest({ since }: Polled, items: readonly Json[], before: string | undefined): string | undefined {
  if (!since) return undefined
  let last = before
  for (const item of items) {
    const at = timeOf(since.from, { item, root: item })
    if (at !== undefined && (last === undefined || at > last)) last = at
  }
  return last
}

function timeOf(from: NonNullable<Polled['since']>['from'], source: Source): string | undefined {
  try {
    const at = evaluate(from, source)
    return typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? at : undefined
  } catch (error) {
    if (error instanceof Unmappable) return undefined
    throw error
  }
}

async function keep(
  work: IntegrationWork,
  { integration: { company, key }, full }: PollRun,
  entry: Received,
  items: readonly Json[],
): Promise<void> {
  if (items.length === 0) return
  const receivedAt = work.clock.now()
  const rows = items.map((item): Arrival => {
    const text = JSON.stringify(item)
    const body = Buffer.from(text)
    const known = entry.id === undefined ? idOfBody(body) : sourceOf(entry, item, body)
    const source = full !== undefined && isPolled(entry) ? `${known} (full sync of ${full})` : known
    const id = inboxId(key, entry.name, source)
    const payload = work.sealing.seal(text, id)
    return { id, company, integration: key, entry: entry.name, source, payload, receivedAt, state: 'stored' }
  })
  await work.inbox.keep(rows)
  work.grown()
}
