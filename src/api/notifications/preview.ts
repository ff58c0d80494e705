/** `/templates/{key}/preview`: a template with a record's values, as far as the caller may see them. */
import { Router, type Request, type Response } from 'express'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { Definitions } from '../../domain/definition.ts'
import { Invalid, NotFound } from '../../domain/errors.ts'
import type { Grant } from '../../domain/grant.ts'
import type { Json } from '../../domain/json.ts'
import { isKeyOf, objectOfKey } from '../../domain/records/key.ts'
import { shows, sightOf } from '../../domain/grant.ts'
import { membersOf } from '../../identity/request-bodies.ts'
import { render } from '../../notifications/templates/render.ts'
import { tagsIn } from '../../notifications/templates/tags.ts'
import { valuesOf } from '../../notifications/templates/values.ts'
import { judgeOf } from '../../rights/judge-record.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import { granted, requires } from '../policy.ts'
import { noParameters } from '../records/list-query.ts'

export interface PreviewRoutes {
  /** Of the objects that have records. */
  readonly definitions: Definitions
  readonly states: Pick<RecordStates, 'load'>
}

export function previewRoutes({ definitions, states }: PreviewRoutes): Router {
  const router = Router({ caseSensitive: true })
  refuseOthers(
    router
      .route('/templates/:key/preview')
      .post(
        requires('notify', 'template'),
        jsonBody(JSON_LIMIT),
        async (request: Request, response: Response) => {
          noParameters(request)
          const { company, access } = principalOf(response)
          const key = request.params['key'] as string
          const { record } = membersOf(request.body as Json, ['record'])
          if (typeof record !== 'string')
            throw new Invalid('record: must be the Key of a record', [
              { Field: 'record', Message: 'must be the Key of a record' },
            ])
          const template = isKeyOf('template', key) ? await states.load(company, key) : undefined
          if (template?.status !== 'live') throw new NotFound(`there is no template ${key.slice(0, 100)}`)
          const definition = definitions.get(objectOfKey(record) ?? '')
          if (!definition) throw new NotFound(`there is no record ${record.slice(0, 100)}`)
          /** What of the record the caller may see; undefined: nothing. */
          const sightOn = async (object: string, of: string, grant: Grant | undefined) => {
            const on = definitions.get(object)
            const state = on && (await states.load(company, of))
            if (!on || state?.status !== 'live') return undefined
            const reach = await judgeOf(
              { definitions, states },
              { company, definition: on, key: of, state },
            ).grantOn(grant)
            return reach && { state, sight: sightOf(reach) }
          }
          const sights = new Map<string, ReturnType<typeof sightOf>>()
          const stateOf = async (object: string, of: string) => {
            const found = await sightOn(object, of, access.grant(object, 'read'))
            if (found) sights.set(object, found.sight)
            return found?.state
          }
          const grant = granted(response, definition.object, 'read')
          const own = await sightOn(definition.object, record, grant)
          if (!own) throw new NotFound(`there is no record ${record.slice(0, 100)}`)
          sights.set(definition.object, own.sight)
          const { fields } = template
          const texts = {
            subject: fields['Subject'] as string,
            body: fields['Body'] as string,
            text: fields['Text'] as string | undefined,
          }
          const paths = [texts.subject, texts.body, texts.text ?? ''].flatMap((one) =>
            tagsIn(one).tags.map(({ path }) => path),
          )
          const place = (await states.load(company, company)).fields
          const { values, missing } = await valuesOf(paths, {
            definition,
            definitions,
            key: record,
            state: own.state,
            stateOf,
            shows: (object, name) => sights.has(object) && shows(sights.get(object)!, name),
            locale: (fields['Locale'] as string | undefined) ?? 'en',
            zone: (place['TimeZone'] as string | undefined) ?? 'UTC',
          })
          sendJson(response, 200, success(JSON.stringify({ ...render(texts, values), missing })))
        },
      ),
  )
  return router
}
