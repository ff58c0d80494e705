/**
 * The thread of the embedded warehouse. It reads the event file beside its writer, so that no write ever waits for it, and it
 * steps back where both want the same core.
 */
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { KeptWarehouse } from '../../adapters/sqlite/warehouse/keep-warehouse.ts'
import type { ToWarehouse } from '../../adapters/sqlite/warehouse/messages.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { openSource, type SourceData } from '../source.ts'

export interface WarehouseData extends SourceData {
  /** Where the companies' files are. */
  readonly folder: string
  readonly definitions: readonly ObjectDefinition[]
}

const { dataDir, folder, definitions, eventStoreUrl } = workerData as WarehouseData

// On Linux 0 is this thread, elsewhere the whole process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

const events = await openSource({ dataDir, eventStoreUrl }, 'records')
const warehouse = new KeptWarehouse({
  folder,
  definitions: new Map(definitions.map((definition) => [definition.object, definition])),
  events,
  say: (message) => parentPort!.postMessage(message),
})

parentPort!.on('message', (message: ToWarehouse) => {
  if (message.kind === 'grown') events.grown()
  else if (message.kind !== 'close') warehouse.take(message)
  else void warehouse.close(() => events.close()).then(() => parentPort!.close())
})
await warehouse.start()
