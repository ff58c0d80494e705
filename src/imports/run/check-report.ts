/** The rows that would fail, as a check has found them: a file of JSON lines. Unlike events it may quote the rows. */
import type { Company } from '../../domain/events/event.ts'
import type { Files } from '../../ports/files.ts'
import type { RowResult } from './outcomes.ts'

/** So many are written down; the counts know all of them. */
export const MOST_REPORTED = 100_000

export interface CheckReport {
  readonly failed: readonly RowResult[]
  /** Rows that have the key of an earlier row, with that row. */
  readonly duplicates: ReadonlyMap<number, number>
}

export async function keepReport(
  files: Pick<Files, 'put'>,
  company: Company,
  { failed, duplicates }: CheckReport,
): Promise<string> {
  const lines = function* () {
    yield Buffer.from(`${JSON.stringify([...duplicates])}\n`)
    for (let at = 0; at < failed.length; at += 1_000) {
      const some = failed.slice(at, at + 1_000).map((result) => `${JSON.stringify(result)}\n`)
      yield Buffer.from(some.join(''))
    }
  }
  return (await files.put(company, toAsync(lines()), Infinity)).sha256
}

/** Nothing where it is not kept any more. */
export async function readReport(
  files: Pick<Files, 'open'>,
  company: Company,
  sha256: string,
): Promise<CheckReport> {
  const bytes = await files.open(company, sha256)
  if (!bytes) return { failed: [], duplicates: new Map() }
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part)
  const [first = '[]', ...lines] = Buffer.concat(parts).toString('utf8').split('\n')
  return {
    duplicates: new Map(JSON.parse(first) as [number, number][]),
    failed: lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RowResult),
  }
}

async function* toAsync<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}
