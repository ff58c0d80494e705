/**
 * Which file holds the read models. Its name says what they were built by: the layout of this adapter and the object
 * definitions. When either changes, the next start builds a new file from the events and removes the old ones.
 *
 * A rebuild makes another file of the same name with a number behind it. It counts once it is whole, which is written into
 * the file itself (SQLite's `user_version`): what was left half built is passed over, and removed.
 */
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Definitions } from '../../../domain/definition.ts'
import { readModelLayouts } from '../../../domain/read-model-layout.ts'

/** Raise with every change of tables, columns or documents. */
const LAYOUT = 8
const NAME = /^read-models-[0-9a-f]{12}(-\d+)?\.db(-wal|-shm|-search)?$/
/** `user_version` of a file that was built beside another and is whole. */
export const WHOLE = 1
/** Where the header of every SQLite file has `user_version`, as four bytes. */
const USER_VERSION_AT = 60

/** The file to use: the last that was rebuilt, else the one that the first start makes. */
export function readModelPath(folder: string, definitions: Definitions): string {
  const built = JSON.stringify([LAYOUT, [...readModelLayouts(definitions).values()]])
  const name = `read-models-${createHash('sha256').update(built).digest('hex').slice(0, 12)}`
  const rebuilt = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith('.db'))
    .sort((one, other) => numberOf(other) - numberOf(one))
    .find((file) => isWhole(join(folder, file)))
  return join(folder, rebuilt ?? `${name}.db`)
}

/** Makes the next file, of nothing, the one to use. */
export function nextGeneration(path: string): string {
  const next = nextReadModelPath(path)
  removeGeneration(next)
  const db = new DatabaseSync(next)
  db.exec(`PRAGMA user_version = ${WHOLE}`)
  db.close()
  return next
}

/** Where the next rebuild of this file goes. */
export function nextReadModelPath(path: string): string {
  return path.replace(/(-\d+)?\.db$/, `-${numberOf(path) + 1}.db`)
}

/** Removes the files of other generations. */
export function removeOtherGenerations(folder: string, current: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (NAME.test(name) && !path.startsWith(current)) rmSync(path, { force: true })
  }
}

export function removeGeneration(path: string): void {
  for (const file of filesOf(path)) rmSync(file, { force: true })
}

/** The same, in the background: to free gigabytes takes a file system half a second. */
export async function removeGenerationAside(path: string): Promise<void> {
  await Promise.all(filesOf(path).map((file) => rm(file, { force: true })))
}

function filesOf(path: string): string[] {
  return ['', '-wal', '-shm', '-journal', '-search'].map((suffix) => path + suffix)
}

/** Where the search of a file is made that is being built. */
export function searchPathBeside(path: string): string {
  return `${path}-search`
}

function numberOf(path: string): number {
  return Number(/^read-models-[0-9a-f]{12}-(\d+)\.db$/.exec(basename(path))?.[1] ?? 0)
}

function isWhole(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(4)
    return readSync(file, bytes, 0, 4, USER_VERSION_AT) === 4 && bytes.readUInt32BE(0) === WHOLE
  } finally {
    closeSync(file)
  }
}
