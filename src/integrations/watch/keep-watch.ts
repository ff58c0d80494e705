/**
 * Sees to it that the other system says when something changes: asks for it, renews it after half of its time, asks for another where it
 * has ended or is to be different, and ends it where it is not wanted any more. What was missed meanwhile is polled.
 */
import { hash } from 'node:crypto'
import { timestampOf } from '../../domain/fields/dates.ts'
import type { Json } from '../../domain/json.ts'
import type { Answered } from '../calls/call.ts'
import { fillRequest } from '../calls/fill-request.ts'
import { AGAIN_MS, FOR_PERSON_MS, Later } from '../calls/later.ts'
import { openCredentials } from '../credentials.ts'
import type { IntegrationDefinition } from '../definition/integration-schema.ts'
import type { IntegrationRequest } from '../definition/request-schema.ts'
import type { Watched } from '../definition/watch-schema.ts'
import { canAsk, isTaking, settingsOf, type Integration } from '../integration.ts'
import { evaluate, type Source } from '../mapping/evaluate.ts'
import { idOf, idsFound } from '../mapping/found.ts'
import { outcomeOf } from '../send/outcomes.ts'
import type { IntegrationWork } from '../work.ts'
import { loadWatch, noteWatch, type WatchState } from './watch-state.ts'

export interface WatchToKeep {
  readonly integration: Integration
  readonly file: IntegrationDefinition
  readonly watch: Watched
}

const DAY_MS = 86_400_000
/** Answers that say that there is no such watch any more. */
const GONE = [404, 410]

/** Whether there is one, or is to be one. @throws Later; Unavailable; Unmappable */
export async function keepWatch(work: IntegrationWork, given: WatchToKeep): Promise<boolean> {
  const { integration, file, watch } = given
  const known = await loadWatch(work, integration, watch.name)
  const credential = openCredentials(work.sealing, integration.company, integration.credentials)[watch.secret]
  if (!isTaking(integration) || !credential || !canAsk(integration, file)) {
    if (known.externalId === undefined) return false
    if (canAsk(integration, file)) await end(work, given, known.externalId)
    await noteWatch(work, integration, watch.name, { ...NONE, version: known.version })
    return false
  }
  const source = sourceOf(work, given, { secret: credential.value })
  const asked = digestOf(given, credential.setAt, source)
  const now = work.clock.now()
  const isSame = known.externalId !== undefined && known.asked === asked
  if (isSame && now < halfOf(known)) return true
  if (isSame && (await isRenewed(work, given, known))) return true
  await endOthers(work, given, known, source)
  const { status, json } = await ask(work, given, watch.request, source)
  const externalId = idOf(evaluate(watch.answer.link, { ...source, item: json }))
  if (externalId === undefined)
    throw new Later(`the other system answers ${status} without the Id of the watch`, FOR_PERSON_MS, true)
  await note(work, given, { ...known, externalId, asked }, json)
  const { polls } = file.receive.find(({ name }) => name === watch.as)!
  if (polls !== undefined) work.pollSoon(integration, polls)
  return true
}

const NONE = { externalId: undefined, asked: undefined, renewedAt: undefined, expiresAt: undefined }

const halfOf = ({ renewedAt, expiresAt }: WatchState): number =>
  (Date.parse(renewedAt ?? '') + Date.parse(expiresAt ?? '')) / 2

/** false: the other system does not know it any more. */
async function isRenewed(work: IntegrationWork, given: WatchToKeep, known: WatchState): Promise<boolean> {
  const source = sourceOf(work, given, { link: known.externalId! })
  const { status, json } = await ask(work, given, given.watch.renewal, source, GONE)
  if (GONE.includes(status)) return false
  await note(work, given, known, json)
  return true
}

/** One that an attempt without an answer has made, and the one that it takes the place of. */
async function endOthers(
  work: IntegrationWork,
  given: WatchToKeep,
  { externalId }: WatchState,
  source: Source,
): Promise<void> {
  const { find } = given.watch
  const found = find ? idsFound(find, (await ask(work, given, find.request, source)).json, source) : []
  const others = new Set([...found, ...(externalId === undefined ? [] : [externalId])])
  for (const other of others) await end(work, given, other)
}

async function end(work: IntegrationWork, given: WatchToKeep, link: string): Promise<void> {
  await ask(work, given, given.watch.end, sourceOf(work, given, { link }), GONE)
}

async function note(
  work: IntegrationWork,
  { integration, watch }: WatchToKeep,
  known: WatchState,
  json: Json | undefined,
): Promise<void> {
  const now = work.clock.now()
  const { until } = watch.answer
  const said = until === undefined ? undefined : evaluate(until, { item: json, root: json })
  const end = typeof said === 'string' ? Date.parse(said) : Number.NaN
  const expires = Number.isNaN(end) ? now + watch.days * DAY_MS : end
  const state = { ...known, renewedAt: timestampOf(now), expiresAt: timestampOf(expires) }
  await noteWatch(work, integration, watch.name, state)
}

function sourceOf(
  { clock, publicUrl }: IntegrationWork,
  { integration, file, watch }: WatchToKeep,
  more: { readonly secret?: string; readonly link?: string },
): Source {
  const given = {
    address: `${publicUrl()}/api/v1/in/${integration.key}/${watch.as}`,
    until: timestampOf(clock.now() + watch.days * DAY_MS),
    ...more,
  }
  return { item: given, root: given, settings: settingsOf(integration, file) }
}

/** Another one for another address, setting or secret. */
function digestOf({ integration, watch }: WatchToKeep, secretSetAt: string, source: Source): string {
  const root = { ...(source.root as object), secret: '', until: '' }
  const request = fillRequest(watch.request, { ...source, item: root, root })
  return hash('sha256', JSON.stringify([integration.baseUrl, secretSetAt, request]))
}

/** @throws Later unless the other system does it */
async function ask(
  work: IntegrationWork,
  { integration, file }: WatchToKeep,
  request: IntegrationRequest,
  source: Source,
  good: readonly number[] = [],
): Promise<Pick<Answered, 'status' | 'json'>> {
  const called = await work.calls.call(integration, file, fillRequest(request, source))
  const outcome = outcomeOf(called, good)
  if (outcome.kind === 'done') return called as Answered
  if (outcome.kind === 'again') throw new Later(outcome.detail, AGAIN_MS)
  if (outcome.kind === 'refused') throw new Later(outcome.detail, FOR_PERSON_MS, true)
  throw new Later(outcome.detail, outcome.ms, outcome.isForPerson)
}
