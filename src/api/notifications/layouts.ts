/** `/layouts`: what stands around the bodies of templates (docs/notifications.md#layouts). */
import type { Router } from 'express'
import { Invalid, type Fault } from '../../domain/errors.ts'
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import { membersOf } from '../../identity/request-bodies.ts'
import { layout as definition } from '../../notifications/objects.ts'
import { checkLayout } from '../../notifications/templates/check-layout.ts'
import { versionedRoutes, type VersionedRoutes } from './versioned.ts'

export function layoutRoutes(routes: VersionedRoutes): Router {
  return versionedRoutes(routes, {
    definition,
    path: '/layouts',
    fieldsOf: async (body) => layoutIn(body),
    check: (fields) => ({ warnings: checkLayout(fields['Body'] as string) }),
    shown: (Id, version, { Name = null, Body = null }) => ({ Id, name: Name, body: Body, version }),
    isSame: (one, other) => one['Name'] === other['Name'],
  })
}

/** The fields of `{layout: {name, body}}`. @throws Invalid */
function layoutIn(body: Json): Fields {
  const { layout } = membersOf(body, ['layout'])
  if (!isObject(layout ?? null))
    throw new Invalid('layout: is required', [{ Field: 'layout', Message: 'must be an object' }])
  const { name, body: html } = membersOf(layout!, ['name', 'body'])
  const faults = Object.entries({ name, body: html }).flatMap(([Field, value]): Fault[] =>
    typeof value === 'string' && value.trim() !== '' ? [] : [{ Field, Message: 'is required, as text' }],
  )
  if (faults.length > 0) throw new Invalid('The layout is not valid.', faults)
  return { Name: name!, Body: html! }
}
