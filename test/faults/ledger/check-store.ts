/** Everything that is checked after a fault, in one call: event file, ledger, and what the service serves. */
import { join } from 'node:path'
import { withInternal } from '../../../src/compose/parts/definitions.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import { verifyDataDir } from '../../../scripts/verify/verify-data-dir.ts'
import { checkAnswers } from './check-answers.ts'
import { checkLedger } from './check-ledger.ts'
import { checkEvents, readEventFile } from '../event-file.ts'
import type { Entry } from './ledger.ts'

export interface StoreCheck {
  /** Empty when every promise was kept. */
  readonly faults: readonly string[]
  /** Position of the last event. */
  readonly head: number
  readonly doneUnanswered: number
}

export interface StoreToCheck {
  readonly service: { readonly url: string; readonly token: string }
  readonly dataDir: string
  readonly entries: readonly Entry[]
  /** Only records with events after this position are asked for one by one. */
  readonly since?: number
}

export async function checkStore({
  service,
  dataDir,
  entries,
  since = 0,
}: StoreToCheck): Promise<StoreCheck> {
  const file = readEventFile(join(dataDir, 'events.db'))
  const { faults, records, doneUnanswered } = checkLedger(entries, file.events)
  const keys = new Set(file.events.slice(since).map(({ stream }) => stream))
  return {
    faults: [...checkEvents(file), ...faults, ...(await checkAnswers({ service, records, keys }))],
    head: file.events.length,
    doneUnanswered,
  }
}

const shipped = withInternal(loadDefinitions([join(import.meta.dirname, '..', '..', '..', 'definitions')]))

/** How the read models of a stopped service differ from what its events say. */
export async function divergence(dataDir: string): Promise<readonly string[]> {
  const { differences } = await verifyDataDir({ dataDir, definitions: shipped })
  return differences
}
