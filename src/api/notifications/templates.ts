/** `/templates`: what is written when a trigger fires (docs/notifications.md#templates). */
import type { Router } from 'express'
import type { Definitions } from '../../domain/definition.ts'
import { invalid } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { template as definition } from '../../notifications/objects.ts'
import { checkTemplate } from '../../notifications/templates/check-template.ts'
import type { Triggers } from '../../notifications/triggers.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { fieldsOf, shown, textsOf } from './template-body.ts'
import { versionedRoutes, type VersionedRoutes } from './versioned.ts'

export interface TemplateRoutes extends VersionedRoutes {
  /** Of the objects that have records. */
  readonly definitions: Definitions
  readonly triggers: Triggers
}

export function templateRoutes(routes: TemplateRoutes): Router {
  const { triggers, definitions, readModels } = routes
  return versionedRoutes(routes, {
    definition,
    path: '/templates',
    shown,
    async fieldsOf(body: Json, company: Company) {
      const { Layout, ...fields } = fieldsOf(body, triggers)
      if (Layout === undefined) return fields
      return { ...fields, Layout: await layoutNamed(readModels, company, Layout as string) }
    },
    check: (fields) =>
      checkTemplate(textsOf(fields), fields['Trigger'] as string, {
        definitions,
        triggers,
        area: fields['Area'] as string | undefined,
      }),
    isSame: (one, other) => one['Name'] === other['Name'] && one['Locale'] === other['Locale'],
  })
}

/** The Key of a layout that is given by its Key or its name. @throws Invalid */
async function layoutNamed(
  readModels: Pick<ReadModels, 'list'>,
  company: Company,
  named: string,
): Promise<string> {
  if (isKeyOf('layout', named)) return named
  const all = { object: 'layout', sort: [], expand: [], offset: 0, limit: 1_000 }
  const { records } = await readModels.list(company, all)
  const found = records.find(({ json }) => (JSON.parse(json) as Fields)['Name'] === named)
  if (found) return found.key
  throw invalid('layout', 'must be the Key or the name of a layout')
}
