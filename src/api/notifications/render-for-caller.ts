/** A template with a record's values, as far as the caller of a request may see them. */
import type { Response } from 'express'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { Definitions } from '../../domain/definition.ts'
import { NotFound } from '../../domain/errors.ts'
import { shows, sightOf, type Grant } from '../../domain/grant.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { isKeyOf, objectOfKey } from '../../domain/records/key.ts'
import { pathsIn, render, type Rendered } from '../../notifications/templates/render.ts'
import { valuesOfSample } from '../../notifications/templates/sample.ts'
import { valuesOf, type Filled } from '../../notifications/templates/values.ts'
import { judgeOf } from '../../rights/judge-record.ts'
import { principalOf } from '../http/request-context.ts'
import { granted } from '../policy.ts'
import { readBody } from '../../shapes/body.ts'
import { filledIn } from './bodies.ts'
import { textsOf } from './template-body.ts'

export interface RenderForCaller {
  /** Of the objects that have records. */
  readonly definitions: Definitions
  readonly states: Pick<RecordStates, 'load'>
}

export interface RenderedForCaller {
  readonly rendered: Rendered
  /** Tags without a value, or whose value the caller may not see. */
  readonly missing: readonly string[]
  readonly locale: string
}

/**
 * @param key of the template
 * @param body `{record}`, or `{sample}` with made-up values
 * @throws Invalid, NotFound, Refusal (403)
 */
export async function renderForCaller(
  options: RenderForCaller,
  response: Response,
  key: string,
  body: Json,
): Promise<RenderedForCaller> {
  const { states } = options
  const { company } = principalOf(response)
  const { record, sample } = readBody(filledIn, body, 'The preview is not valid.')
  const template = isKeyOf('template', key) ? await states.load(company, key) : undefined
  if (template?.status !== 'live') throw new NotFound(`there is no template ${key.slice(0, 100)}`)
  const layout = template.fields['Layout'] as string | undefined
  const around = layout === undefined ? undefined : await states.load(company, layout)
  const texts = {
    ...textsOf(template.fields),
    layout: around?.status === 'live' ? (around.fields['Body'] as string) : undefined,
  }
  const paths = pathsIn(texts)
  const locale = (template.fields['Locale'] as string | undefined) ?? 'en'
  const { values, missing } = sample
    ? valuesOfSample(paths, sample as Fields, locale)
    : await valuesOfRecord(options, response, { record: record!, paths, locale })
  return { rendered: render(texts, values), missing, locale }
}

/** @throws NotFound, Refusal (403) */
async function valuesOfRecord(
  { definitions, states }: RenderForCaller,
  response: Response,
  {
    record,
    paths,
    locale,
  }: { readonly record: string; readonly paths: readonly string[]; readonly locale: string },
): Promise<Filled> {
  const { company, access } = principalOf(response)
  const definition = definitions.get(objectOfKey(record) ?? '')
  if (!definition) throw new NotFound(`there is no record ${record.slice(0, 100)}`)
  /** What of the record the caller may see; undefined: nothing. */
  const sightOn = async (object: string, of: string, grant: Grant | undefined) => {
    const on = definitions.get(object)
    const state = on && (await states.load(company, of))
    if (!on || state?.status !== 'live') return undefined
    const judge = judgeOf({ definitions, states }, { company, definition: on, key: of, state })
    const reach = await judge.grantOn(grant)
    return reach && { state, sight: sightOf(reach) }
  }
  /** By the Key of the record: of one object, rows may differ in what is seen of them. */
  const sights = new Map<string, ReturnType<typeof sightOf>>()
  const stateOf = async (object: string, of: string) => {
    const found = await sightOn(object, of, access.grant(object, 'read'))
    if (found) sights.set(of, found.sight)
    return found?.state
  }
  const own = await sightOn(definition.object, record, granted(response, definition.object, 'read'))
  if (!own) throw new NotFound(`there is no record ${record.slice(0, 100)}`)
  sights.set(record, own.sight)
  const place = (await states.load(company, company)).fields
  return valuesOf(paths, {
    definition,
    definitions,
    key: record,
    state: own.state,
    stateOf,
    shows: (of, name) => sights.has(of) && shows(sights.get(of)!, name),
    locale,
    zone: (place['TimeZone'] as string | undefined) ?? 'UTC',
  })
}
