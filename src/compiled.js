/**
 * Where compiled code is kept, and whether that of all sources is there. A file there says so: it names the version of
 * Node that it is for, and is newer than every source. Should it be wrong, a start takes longer, no more.
 */
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const cacheFolder =
  process.env['NODE_COMPILE_CACHE'] ?? join(import.meta.dirname, '..', 'node_modules', '.cache', 'daybook')

const stamp = join(cacheFolder, `compiled-by-${process.version}`)

/** The sources, by their whole paths. */
export const sources = () =>
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(import.meta.dirname, file))

/** @param {string} file */
const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

export function isCompiled() {
  const compiledAt = changedAt(stamp)
  return compiledAt > 0 && sources().every((file) => changedAt(file) < compiledAt)
}

export function noteCompiled() {
  writeFileSync(stamp, '')
}
