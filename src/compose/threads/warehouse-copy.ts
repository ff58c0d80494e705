/**
 * The thread that keeps copies of the warehouses on MongoDB, so that a process answers SQL, exports and snapshots from
 * files of its own. It speaks to the main thread as the warehouse thread does (`compose/threads/warehouse.ts`).
 *
 * A copy is brought up to date when somebody asks. The server may come up after this process, and go and come back.
 */
import { mkdirSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { warehouseChanges } from '../../adapters/mongodb/warehouse/changes.ts'
import type { FromWarehouse, ToWarehouse } from '../../adapters/sqlite/warehouse/messages.ts'
import { keepLooking } from '../keep-looking.ts'
import { copiesInTime } from '../mongodb/copies-in-time.ts'
import { copyWarehouse } from '../mongodb/warehouse-copying.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { NotYet } from '../../domain/errors.ts'
import { evolveCatalogue } from '../../domain/warehouse/catalogue.ts'

export interface WarehouseCopyData {
  readonly mongoUrl: string
  readonly folder: string
  readonly definitions: readonly ObjectDefinition[]
}

/** How long somebody waits for a copy. */
const WAIT_MS = 10_000
const LOOK_MS = 500
const AWAY_MS = 2_000

const { mongoUrl: url, folder, definitions: list } = workerData as WarehouseCopyData
const definitions = new Map(list.map((definition) => [definition.object, definition]))
const say = (message: FromWarehouse) => parentPort!.postMessage(message)
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

mkdirSync(folder, { recursive: true })
const changes = warehouseChanges({ url, definitions })
const unwritten = { at: '1970-01-01T00:00:00Z', position: 0 }
let told = ''
const tell = (catalogue: ReturnType<typeof evolveCatalogue>['catalogue']) => {
  const text = JSON.stringify(catalogue)
  if (text !== told) say({ kind: 'open', catalogue })
  told = text
}
tell(evolveCatalogue(undefined, definitions, unwritten).catalogue)

const copies = copiesInTime({
  copy: (company) => copyWarehouse({ changes, folder, company }),
  waitMs: WAIT_MS,
})

const closing = new AbortController()
const watching = keepLooking({
  async look() {
    tell((await changes.catalogue()).catalogue)
    say({ kind: 'projected', statuses: [await changes.status()] })
  },
  onAway: (error) =>
    say({ kind: 'trouble', message: 'the warehouse cannot be reached for now', detail: messageOf(error) }),
  everyMs: LOOK_MS,
  awayMs: AWAY_MS,
  signal: closing.signal,
})

parentPort!.on('message', (message: ToWarehouse) => {
  if (message.kind === 'ensure')
    copies.ensure(message.company).then(
      () => say({ kind: 'done', request: message.request }),
      (error: unknown) =>
        say({
          kind: 'done',
          request: message.request,
          error: messageOf(error),
          isUnderWay: error instanceof NotYet,
        }),
    )
  else if (message.kind === 'close') {
    closing.abort()
    void changes
      .close()
      .then(() => Promise.all([watching, copies.settled()]))
      .then(() => parentPort!.close())
  }
})
