/**
 * The engine thread by itself, on a folder of its own: it brings the read models up to the last event and ends.
 *
 * It is the very thread that the service runs, so that what is compared is what the service would build.
 */
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { linkEngine } from '../../src/adapters/sqlite/events/engine-link.ts'
import type { FromEngine } from '../../src/adapters/sqlite/events/engine-messages.ts'
import type { EngineData } from '../../src/compose/threads/engine.ts'
import type { SourceData } from '../../src/compose/source.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Position } from '../../src/domain/events/event.ts'
import type { ProjectionStatus } from '../../src/ports/read-models.ts'

const ENGINE = new URL('../../src/compose/threads/engine.ts', import.meta.url)

export interface BuildOf extends SourceData {
  readonly definitions: Definitions
  /** Of the last event. */
  readonly head: Position
}

/**
 * Answers with the path of the read models' file when every projection has reached the last event and no fan-out is
 * pending. Those that follow a server may have got further.
 * @throws Error when a projection is parked: it would never arrive
 */
export async function buildReadModels({ definitions, head, ...source }: BuildOf): Promise<string> {
  const data: EngineData = { ...source, definitions: [...definitions.values()], keepsReadModels: true }
  const worker = new Worker(ENGINE, { workerData: data })
  let settle: { resolve: () => void; reject: (error: Error) => void }
  const arrived = new Promise<void>((resolve, reject) => (settle = { resolve, reject }))
  let statuses: readonly ProjectionStatus[] = []
  let path: string | undefined
  // Heard from the start: the thread may have arrived before anyone listens to the link.
  worker.on('message', (message: FromEngine) => {
    // Many events are built in one go, into another file than the first that was opened.
    if (message.kind === 'switched') path = message.readModelPath
    if (message.kind !== 'projected') return
    statuses = message.statuses
    decide()
  })
  const decide = () => {
    const parked = statuses.find(({ state }) => state === 'parked')
    if (parked) settle.reject(new Error(`the projection ${parked.name} is parked: ${parked.error?.message}`))
    else if (statuses.length > 0 && statuses.every(({ position }) => position >= head)) settle.resolve()
  }
  const engine = await linkEngine(worker)
  engine.listen((message) => {
    if (message.kind === 'fatal') settle.reject(new Error(message.message))
  })
  try {
    decide()
    await arrived
    path ??= engine.readModelPath
    await fanOutsDone(path)
    return path
  } finally {
    await engine.close()
  }
}

const POLL_MS = 20
const LONGEST_STEP_MS = 10_000

/** @throws Error when nothing of it has moved for a while: they would never be done */
async function fanOutsDone(path: string): Promise<void> {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const pending = db.prepare('SELECT key, lookup, n FROM fan_outs ORDER BY rowid')
    let before = ''
    let movedAt = performance.now()
    for (;;) {
      const tasks = pending.all()
      if (tasks.length === 0) return
      const now = JSON.stringify(tasks)
      if (now !== before) movedAt = performance.now()
      else if (performance.now() - movedAt > LONGEST_STEP_MS)
        throw new Error(`${tasks.length} fan-outs are pending, and nobody works them off`)
      before = now
      await delay(POLL_MS)
    }
  } finally {
    db.close()
  }
}
