/**
 * Which file holds the read models. Its name says what they were built by: the layout of this adapter and the object
 * definitions. When either changes, the next start builds a new file from the events and removes the old ones.
 */
import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Definitions } from '../../domain/definition.ts'

/** Raise with every change of tables, columns or documents. */
const LAYOUT = 3
const NAME = /^read-models-[0-9a-f]{12}\.db(-wal|-shm)?$/

export function readModelPath(folder: string, definitions: Definitions): string {
  const built = JSON.stringify([
    LAYOUT,
    [...definitions.values()].sort((a, b) => (a.object < b.object ? -1 : 1)),
  ])
  return join(folder, `read-models-${createHash('sha256').update(built).digest('hex').slice(0, 12)}.db`)
}

/** Removes the files of other generations. */
export function removeOtherGenerations(folder: string, current: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (NAME.test(name) && !path.startsWith(current)) rmSync(path, { force: true })
  }
}

export function removeGeneration(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}
