/** A thread of the reader pool: runs statements on its own read-only connection and answers with their rows. */
import { parentPort, workerData } from 'node:worker_threads'
import { openReadModelFile } from './read-model-file.ts'
import type { Sql } from './compile-filter.ts'
import type { ReaderAnswer } from './reader-pool.ts'

const { path } = workerData as { path: string }
const file = openReadModelFile(path)

parentPort!.on('message', (statements: readonly Sql[]) => {
  let answer: ReaderAnswer
  try {
    answer = { rows: file.snapshot(() => statements.map((statement) => file.rows(statement))) }
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) }
  }
  parentPort!.postMessage(answer)
})
