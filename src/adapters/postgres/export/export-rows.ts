/**
 * Reads one company's rows from PostgreSQL for one job, as the work of a thread: export a table, or copy everything into an
 * SQLite file. The next piece is made when it is asked for, so that a slow client costs no memory.
 */
import type { MessagePort } from 'node:worker_threads'
import type { PoolClient } from 'pg'
import { Unavailable } from '../../../domain/errors.ts'
import type { Company } from '../../../domain/events/event.ts'
import type { ColumnInfo, ExportFormat } from '../../../ports/warehouse.ts'
import { FORMATS } from '../../formats/formats.ts'
import { asDomainError, poolOf } from '../connection.ts'
import { oneMoment, rowsOf } from '../warehouse/read-table.ts'

export type ExportJob =
  | {
      readonly kind: 'export'
      readonly url: string
      readonly company: Company
      readonly name: string
      readonly isHistory: boolean
      readonly columns: readonly ColumnInfo[]
      readonly format: ExportFormat
    }
  /** `path`: the file to make. */
  | { readonly kind: 'snapshot'; readonly url: string; readonly company: Company; readonly path: string }

export type ExportAnswer =
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly message: string; readonly isUnavailable: boolean }

type TableJob = Extract<ExportJob, { kind: 'export' }>
type SnapshotJob = Extract<ExportJob, { kind: 'snapshot' }>

/** @param snapshot makes the file of a job */
export function runExport(
  job: ExportJob,
  port: MessagePort,
  snapshot: (job: SnapshotJob) => Promise<unknown>,
): void {
  const say = (answer: ExportAnswer) => port.postMessage(answer)
  const end = () => {
    say({ kind: 'end' })
    port.close()
  }
  const failed = (error: unknown) => {
    const known = asDomainError(error)
    const message = known instanceof Error ? known.message : String(known)
    say({ kind: 'failed', message, isUnavailable: known instanceof Unavailable })
    port.close()
  }
  if (job.kind === 'snapshot') return void snapshot(job).then(end, failed)
  const made = chunks(job)
  port.on('message', () => {
    made.next().then((next) => {
      if (next.done) return end()
      const bytes = next.value
      port.postMessage({ kind: 'chunk', bytes } satisfies ExportAnswer, [bytes.buffer as ArrayBuffer])
    }, failed)
  })
}

async function* chunks({
  url,
  company,
  name,
  isHistory,
  columns,
  format,
}: TableJob): AsyncGenerator<Uint8Array> {
  const pool = poolOf(url, 1, () => {})
  let client: PoolClient | undefined
  try {
    client = await pool.connect()
    await oneMoment(client)
    const encoder = FORMATS[format](columns)
    for await (const rows of rowsOf(client, company, { name, isHistory, columns }))
      for (const row of rows) {
        const bytes = encoder.add(row)
        if (bytes) yield bytes
      }
    yield encoder.end()
  } finally {
    // A pool ends only when every client is back, whatever became of it.
    client?.release(true)
    await pool.end()
  }
}
