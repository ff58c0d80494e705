/** A thread of the reader pool: runs statements on its own read-only connection and answers with their rows. */
import { parentPort, workerData } from 'node:worker_threads'
import { LATE, openReadModelFile } from './read-model-file.ts'
import type { ReaderAnswer, ReaderQuestion } from './reader-pool.ts'

const { path } = workerData as { path: string }
let deadline = 0
const file = openReadModelFile(path, () => performance.now() < deadline)

parentPort!.on('message', ({ statements, limitMs }: ReaderQuestion) => {
  deadline = performance.now() + limitMs
  let answer: ReaderAnswer
  try {
    answer = { rows: file.snapshot(() => statements.map((statement) => file.rows(statement))) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    answer = { error: message, late: message.includes(LATE) }
  }
  parentPort!.postMessage(answer)
})
