/** Snapshots of a company's warehouse: files in a folder, each removed when it has been passed on. */
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Company } from '../../../domain/events/event.ts'
import type { Warehouse } from '../../../ports/warehouse.ts'
import type { ExportThreads } from './export-threads.ts'

/** No snapshot is written for so long without a change of its file. */
const LEFT_MS = 3_600_000

export async function snapshotOf(
  exports: ExportThreads,
  { url, company, folder }: { readonly url: string; readonly company: Company; readonly folder: string },
): ReturnType<Warehouse['snapshot']> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${randomUUID()}.db`)
  try {
    await exports.snapshot({ kind: 'snapshot', url, company, path })
    return { size: (await stat(path)).size, bytes: oncePassedOn(path) }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** A file's bytes; it is removed when they have been read, or the reader has gone. */
async function* oncePassedOn(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>
  } finally {
    await rm(path, { force: true })
  }
}

/** Removes what processes have left there that were killed. Others may use the folder as well: what is young stays. */
export async function removeLeft(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const left = await stat(path).catch(() => undefined)
    if (left && now - left.mtimeMs > LEFT_MS) await rm(path, { force: true })
  }
}
