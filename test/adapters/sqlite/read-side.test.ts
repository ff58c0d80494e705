/**
 * The read side on SQLite: the projection store that the engine thread has, and the read models that the main thread
 * has, both in this process. What the threads would say to each other is passed on by hand.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineLink } from '../../../src/adapters/sqlite/events/engine-link.ts'
import type { FromEngine } from '../../../src/adapters/sqlite/events/engine-messages.ts'
import { openForReading, openForWriting } from '../../../src/adapters/sqlite/files/open.ts'
import type { ColumnReader } from '../../../src/adapters/sqlite/read-models/in-memory/column-scopes.ts'
import { readColumns } from '../../../src/adapters/sqlite/read-models/in-memory/read-columns.ts'
import { sqliteProjectionStore } from '../../../src/adapters/sqlite/read-models/projection-store.ts'
import { sqliteReadModels } from '../../../src/adapters/sqlite/read-models/read-models.ts'
import type { Definitions } from '../../../src/domain/definition.ts'
import type { ProjectionStore } from '../../../src/ports/projection-store.ts'
import type { ProjectionStatus, ReadModels } from '../../../src/ports/read-models.ts'
import { readSideContract } from '../../contracts/read-side.ts'
import type { ReadSide } from '../../contracts/read-side/side.ts'
import { newFolder } from '../../support/service.ts'

const PROJECTIONS = ['records', 'search']

/** A line on which only the engine speaks: the main thread has nothing to ask of it here. */
function lineFromEngine(path: string): EngineLink & { tell(message: FromEngine): void } {
  const listeners: ((message: FromEngine) => void)[] = []
  return {
    head: 0,
    readModelPath: path,
    send: () => {},
    listen: (listener) => void listeners.push(listener),
    tell: (message) => listeners.forEach((listener) => listener(message)),
    close: async () => {},
  }
}

interface Options {
  readonly folder?: string
  /** Columns are kept in memory however few records there are, and each list is asked for by the file and then by these. */
  readonly inMemory?: boolean
}

async function openReadSide(
  definitions: Definitions,
  { folder = newFolder(), inMemory = false }: Options = {},
): Promise<ReadSide> {
  const path = join(folder, 'read-models.db')
  const db = openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 8 })
  const line = lineFromEngine(path)
  let statuses: readonly ProjectionStatus[] = []
  let changes = 0
  const report = () => {
    changes++
    line.tell({ kind: 'projected', statuses, changes: inner.takeChanges() })
  }
  const inner = sqliteProjectionStore({ db, definitions, onBackgroundChange: report })
  const opened = sqliteReadModels({
    path,
    definitions,
    engine: line,
    projections: PROJECTIONS,
    ...(inMemory && { columns: { least: 1, reader: readerHere } }),
  })
  const readModels = inMemory ? twiceAsked(opened, () => changes) : opened

  const standing = async () => {
    const positions = await Promise.all(PROJECTIONS.map((name) => inner.position(name)))
    statuses = PROJECTIONS.map((name, i) => ({ name, position: positions[i] ?? 0, state: 'live' as const }))
    report()
  }
  const store: ProjectionStore = {
    position: (projection) => inner.position(projection),
    async apply(work, position) {
      changes++
      await inner.apply(work, position)
      await standing()
    },
    settled: () => inner.settled(),
    close: () => inner.close(),
  }
  await standing()

  const close = async () => {
    await readModels.close()
    await inner.close()
  }
  return {
    readModels,
    store,
    async reopen() {
      await close()
      return openReadSide(definitions, { folder, inMemory })
    },
    async discard() {
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Reads columns in this thread. */
function readerHere(path: string): ColumnReader {
  const db = openForReading({ path, cacheMegabytes: 1, reads: 'once' })
  return { read: async (wanted) => readColumns(db, wanted), close: () => db.close() }
}

/** The second answer may come from memory; it is the same as the first, unless something changed between them. */
function twiceAsked(readModels: ReadModels, changes: () => number): ReadModels {
  return {
    ...readModels,
    async list(company, query) {
      const before = changes()
      const first = await readModels.list(company, query)
      await new Promise(setImmediate)
      const second = await readModels.list(company, query)
      if (changes() === before) assert.deepEqual(second, first)
      return second
    },
  }
}

describe('the read side on SQLite', () => readSideContract((definitions) => openReadSide(definitions)))

describe('the read side on SQLite, with columns in memory', () =>
  readSideContract((definitions) => openReadSide(definitions, { inMemory: true })))
