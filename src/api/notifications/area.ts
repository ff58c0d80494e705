/** `/api/v1/notifications`: the routes of the notification service for people's sessions, on the API's own port. */
import { Router } from 'express'
import type { Area } from '../area.ts'
import { notificationPaths, notificationTag } from './openapi/paths.ts'
import { notificationSchemas } from './openapi/schemas.ts'

const SEGMENT = 'notifications'

/** @param routers those of the service's own port that need authentication */
export function notificationsArea(routers: readonly Router[]): Area {
  const router = Router({ caseSensitive: true })
  router.use(...routers)
  return {
    segment: SEGMENT,
    router,
    openapi: {
      tag: notificationTag,
      paths: notificationPaths(`/api/v1/${SEGMENT}`),
      schemas: notificationSchemas,
    },
  }
}
