/** The thread that copies the events of a server into DATA_DIR, where one process keeps the journal for itself. */
import { parentPort, workerData } from 'node:worker_threads'
import { eventStoreDbStore } from '../../adapters/eventstoredb/event-store.ts'
import type { FromCopier } from '../../adapters/sqlite/events/copier-link.ts'
import { keepCopy } from '../../adapters/sqlite/events/keep-copy.ts'

export interface CopierData {
  readonly path: string
  readonly eventStoreUrl: string
}

const { path, eventStoreUrl } = workerData as CopierData
const say = (message: FromCopier) => parentPort!.postMessage(message)
const stop = keepCopy({ path, source: eventStoreDbStore({ url: eventStoreUrl }), say })
parentPort!.on('message', () => void stop().then(() => parentPort!.close()))
say({ kind: 'open' })
