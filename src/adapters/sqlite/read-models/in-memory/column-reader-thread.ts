/** Reads columns of records on its own read-only connection; see `column-reader.ts`. */
import { parentPort, workerData } from 'node:worker_threads'
import { openForReading } from '../../files/open.ts'
import type { ColumnAnswer } from './column-reader.ts'
import { readColumns, type ColumnsWanted } from './read-columns.ts'
import { messageOf } from '../../../../domain/errors.ts'

const { path } = workerData as { path: string }
const db = openForReading({ path, cacheMegabytes: 4, reads: 'once' })

parentPort!.on('message', (wanted: ColumnsWanted) => {
  let answer: ColumnAnswer
  try {
    answer = { rows: readColumns(db, wanted) }
  } catch (error) {
    return parentPort!.postMessage({ error: messageOf(error) })
  }
  const { numbers, columns } = answer.rows
  const arrays = columns.flatMap(({ values, ends, codes, starts, rows }) => [
    values,
    ...(ends ? [ends] : []),
    codes,
    starts,
    rows,
  ])
  parentPort!.postMessage(
    answer,
    [numbers, ...arrays].map(({ buffer }) => buffer as ArrayBuffer),
  )
})
