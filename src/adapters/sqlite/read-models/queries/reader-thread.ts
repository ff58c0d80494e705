/** A thread of the reader pool: runs statements on its own read-only connection and answers with their rows. */
import { parentPort, workerData } from 'node:worker_threads'
import { isDiskTrouble } from '../../files/open.ts'
import { LATE, openReadModelFile } from '../read-model-file.ts'
import type { ReaderAnswer, ReaderQuestion } from './reader-pool.ts'
import { messageOf } from '../../../../domain/errors.ts'

const { path } = workerData as { path: string }
let deadline = 0
const file = openReadModelFile(path, () => performance.now() < deadline)

/** Of this thread, since then. */
function computedMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

parentPort!.on('message', ({ statements, limitMs }: ReaderQuestion) => {
  deadline = performance.now() + limitMs
  const before = process.threadCpuUsage()
  let answer: ReaderAnswer
  try {
    answer = { rows: file.snapshot(() => statements.map((statement) => file.rows(statement))) }
  } catch (error) {
    const message = messageOf(error)
    const late = message.includes(LATE)
    answer = { error: message, late, disk: isDiskTrouble(error), computedMs: computedMs(before) }
  }
  parentPort!.postMessage(answer)
})
