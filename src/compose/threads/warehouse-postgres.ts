/** The thread that writes the warehouse to PostgreSQL: which events it follows. */
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { keepPostgresWarehouse } from '../../adapters/postgres/writing/keep-warehouse.ts'
import type { FromWriter, ToWriter } from '../../adapters/postgres/writing/writer.ts'
import { messageOf } from '../../domain/errors.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { openSource, type SourceData } from '../source.ts'

export interface WarehousePostgresData extends SourceData {
  readonly url: string
  readonly definitions: readonly ObjectDefinition[]
}

const { url, definitions, dataDir, eventStoreUrl } = workerData as WarehousePostgresData
const say = (message: FromWriter) => parentPort!.postMessage(message)

// On Linux 0 is this thread, elsewhere the whole process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

const events = await openSource({ dataDir, eventStoreUrl }, 'records')
const stop = keepPostgresWarehouse({
  url,
  definitions: new Map(definitions.map((definition) => [definition.object, definition])),
  events,
  onTrouble: (message, error) => say({ kind: 'trouble', message, detail: messageOf(error) }),
  onSuperseded: (superseded) => say({ kind: 'superseded', superseded }),
})

parentPort!.on('message', (message: ToWriter) => {
  if (message === 'grown') events.grown()
  else void stop().then(() => events.close().then(() => parentPort!.close()))
})
