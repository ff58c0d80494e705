/**
 * The thread that keeps copies of the warehouses on MongoDB, so that a process answers SQL, exports and snapshots from
 * files of its own. It speaks to the main thread as the warehouse thread does (`compose/warehouse.ts`).
 *
 * A copy is brought up to date when somebody asks. The server may come up after this process, and go and come back.
 */
import { mkdirSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { warehouseChanges } from '../adapters/mongodb/warehouse/changes.ts'
import type { FromWarehouse, ToWarehouse } from '../adapters/sqlite/warehouse/messages.ts'
import { keepLooking } from './keep-looking.ts'
import { copyWarehouse } from './warehouse-copying.ts'
import { boundedWait } from '../domain/bounded-wait.ts'
import type { ObjectDefinition } from '../domain/definition.ts'
import type { Company } from '../domain/event.ts'
import { evolveCatalogue } from '../domain/warehouse/catalogue.ts'

export interface WarehouseCopyData {
  readonly mongoUrl: string
  readonly folder: string
  readonly definitions: readonly ObjectDefinition[]
}

/** How long somebody waits for a copy; it is gone on with all the same, for the next one who asks. */
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

const underWay = new Map<Company, Promise<void>>()
const ensure = async (company: Company): Promise<void> => {
  await underWay.get(company)?.catch(() => {}) // it may have looked before the caller's write
  let work = underWay.get(company)
  if (!work) {
    work = copyWarehouse({ changes, folder, company }).finally(() => underWay.delete(company))
    underWay.set(company, work)
  }
  await boundedWait(WAIT_MS, work, 'the copy of the warehouse is being made')
}

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
    ensure(message.company).then(
      () => say({ kind: 'done', request: message.request }),
      (error: unknown) => say({ kind: 'done', request: message.request, error: messageOf(error) }),
    )
  else if (message.kind === 'close') {
    closing.abort()
    void changes
      .close()
      .then(() => Promise.allSettled([watching, ...underWay.values()]))
      .then(() => parentPort!.close())
  }
})
