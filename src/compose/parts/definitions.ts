/**
 * All objects that there are: the public ones, which definition files describe and the API serves, and those that the
 * service keeps for itself. Commands, projections and read models work on all of them; the API on the public ones.
 */
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { identityObjects } from '../../identity/objects.ts'
import { importDefinition } from '../../imports/objects.ts'
import { profileDefinition } from '../../imports/profiles/objects.ts'
import {
  integrationDefinition,
  linkDefinition,
  pollDefinition,
  watchDefinition,
  sendingDefinition,
  counterpartDefinition,
  fullSyncDefinition,
} from '../../integrations/objects.ts'
import { scheduleDefinition } from '../../imports/schedules/objects.ts'
import { notificationObjects } from '../../notifications/objects.ts'
import { webhookDefinition } from '../../webhooks/objects.ts'

const internal: readonly ObjectDefinition[] = [
  ...identityObjects,
  webhookDefinition,
  importDefinition,
  profileDefinition,
  integrationDefinition,
  linkDefinition,
  pollDefinition,
  watchDefinition,
  sendingDefinition,
  counterpartDefinition,
  fullSyncDefinition,
  scheduleDefinition,
  ...notificationObjects,
]

export function withInternal(definitions: Definitions): Definitions {
  return new Map([...definitions, ...internal.map((definition) => [definition.object, definition] as const)])
}

/** Those whose events are sent: the public ones, and what the service does with them. */
export function withSent(definitions: Definitions): Definitions {
  return new Map([
    ...definitions,
    [importDefinition.object, importDefinition],
    [scheduleDefinition.object, scheduleDefinition],
  ])
}
