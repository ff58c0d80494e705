/** What looks back, put together: histories, the audit, feeds of changes. */
import type { Router } from 'express'
import { actorNames } from './api/actors.ts'
import type { Area } from './api/area.ts'
import { auditArea } from './api/audit.ts'
import { changesTokens } from './api/changes-token.ts'
import { changesRoutes } from './api/changes.ts'
import { historyRoutes } from './api/history.ts'
import type { Identifiers } from './commands/identifiers.ts'
import { noteAudit } from './commands/note-audit.ts'
import type { RecordStates } from './commands/record-states.ts'
import type { Stores } from './compose-stores.ts'
import type { Definitions } from './domain/definition.ts'
import type { Sealer } from './identity/sealed-secrets.ts'
import type { Clock } from './ports/clock.ts'

export interface LookingBackOptions {
  /** The objects that are served. */
  readonly definitions: Definitions
  /** Those that the service keeps for itself, too. */
  readonly all: Definitions
  readonly stores: Stores
  readonly states: RecordStates
  readonly identifiers: Identifiers
  readonly clock: Clock
  readonly sealer: Pick<Sealer, 'deriveAll'>
  /** How long reads may lag behind what is asked for, in ms. */
  readonly readLagMs: number
}

export interface LookingBack {
  readonly areas: readonly Area[]
  /** Routes below those of records. */
  readonly routes: readonly Router[]
}

export function lookingBack(options: LookingBackOptions): LookingBack {
  const { definitions, all, stores, states, identifiers, clock, sealer, readLagMs } = options
  const { events, readModels, journal } = stores
  const actorName = actorNames(states)
  const note = noteAudit({ events, identifiers, clock })
  const tokens = changesTokens(() => [...sealer.deriveAll('changes-feed').values()])
  return {
    areas: [auditArea({ definitions: all, journal, note, actorName })],
    routes: [
      historyRoutes({ definitions, readModels, events, actorName }),
      changesRoutes({ definitions, readModels, events, journal, tokens, readLagMs }),
    ],
  }
}
