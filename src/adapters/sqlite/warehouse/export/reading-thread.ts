/**
 * A thread that reads one company's file for one job: count rows, export a table, copy the whole.
 *
 * An export is one read transaction: the table as of one moment. The next piece is made when it is asked for, so that a
 * slow client costs no memory.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { Cell } from '../../../../domain/warehouse/columns.ts'
import type { ColumnInfo, ExportFormat, WarehouseContents } from '../../../../ports/warehouse.ts'
import { openForReading } from '../../files/open.ts'
import { forgetState } from '../company-file.ts'
import { FORMATS } from '../../../formats/formats.ts'
import type { RowEncoder } from '../../../formats/encoder.ts'
import { quoted } from '../schema.ts'

export type ReadingJob =
  | { readonly kind: 'contents'; readonly path: string; readonly tables: readonly string[] }
  | {
      readonly kind: 'export'
      readonly path: string
      readonly table: string
      readonly columns: readonly ColumnInfo[]
      readonly format: ExportFormat
    }
  /** `to`: the file to make. */
  | { readonly kind: 'snapshot'; readonly path: string; readonly to: string }

export type ReadingAnswer =
  | { readonly kind: 'contents'; readonly contents: WarehouseContents }
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }

const job = workerData as ReadingJob
const db = openForReading({ path: job.path, cacheMegabytes: 4, reads: 'once' })
const say = (answer: ReadingAnswer) => parentPort!.postMessage(answer)

if (job.kind === 'contents') {
  const count = (table: string) =>
    db.prepare(`SELECT count(*) AS n FROM ${quoted(table)}`).get()?.['n'] as number
  db.exec('BEGIN') // all as of one moment
  const ordinal = db.prepare('SELECT Ordinal FROM wh__state').get()?.['Ordinal'] as number
  const rows = Object.fromEntries(job.tables.map((table) => [table, count(table)]))
  say({ kind: 'contents', contents: { rows, ordinal } })
  db.close()
} else if (job.kind === 'snapshot') {
  db.exec('PRAGMA query_only = OFF') // it forbids to write the copy as well
  db.prepare('VACUUM INTO ?').run(job.to)
  db.close()
  forgetState(job.to)
  say({ kind: 'end' })
} else {
  const names = job.columns.map(({ name }) => quoted(name)).join(', ')
  // Rows stand in the order in which they were made: reading them so reads each page once.
  const statement = db.prepare(`SELECT ${names} FROM ${quoted(job.table)} ORDER BY rowid`)
  statement.setReturnArrays(true)
  const rows = statement.iterate() as unknown as Iterable<readonly Cell[]>
  const chunks = chunksOf(FORMATS[job.format](job.columns), rows)
  parentPort!.on('message', () => {
    const next = chunks.next()
    if (!next.done) {
      const bytes = next.value
      parentPort!.postMessage({ kind: 'chunk', bytes } satisfies ReadingAnswer, [bytes.buffer as ArrayBuffer])
      return
    }
    say({ kind: 'end' })
    db.close()
    parentPort!.close()
  })
}

function* chunksOf(encoder: RowEncoder, rows: Iterable<readonly Cell[]>): Generator<Uint8Array> {
  for (const row of rows) {
    const bytes = encoder.add(row)
    if (bytes) yield bytes
  }
  yield encoder.end()
}
