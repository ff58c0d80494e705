/** `/layouts`: what stands around the bodies of templates (docs/notifications.md#layouts). */
import type { Router } from 'express'
import { layout as definition } from '../../notifications/objects.ts'
import { checkLayout } from '../../notifications/templates/check-layout.ts'
import { readSent, sentLayout } from './bodies.ts'
import { versionedRoutes, type VersionedRoutes } from './versioned.ts'

export function layoutRoutes(routes: VersionedRoutes): Router {
  return versionedRoutes(routes, {
    definition,
    path: '/layouts',
    fieldsOf: async (body) => {
      const { name, body: html } = readSent(sentLayout, body, 'layout').layout
      return { Name: name, Body: html }
    },
    check: (fields) => ({ warnings: checkLayout(fields['Body'] as string) }),
    shown: (Id, version, { Name = null, Body = null }) => ({ Id, name: Name, body: Body, version }),
    isSame: (one, other) => one['Name'] === other['Name'],
  })
}
