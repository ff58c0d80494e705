/** What a process and its folder take at a moment, as Linux knows it. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { memoryOf } from '../../bench/measures/memory.ts'

export interface Standing {
  /** Resident set, and of it what is not of files, in MB. */
  readonly resident: number
  readonly anonymous: number
  /** Open files and sockets. */
  readonly descriptors: number
  /** MB of the folder, and of the logs of its databases. */
  readonly folder: number
  readonly logs: number
}

export function standingOf(pid: number, folder: string): Standing {
  const memory = memoryOf(pid)
  const sizes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ name, bytes: sizeOf(join(parentPath, name)) }))
  const megabytes = (files: typeof sizes) =>
    Math.round(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1_048_576)
  return {
    resident: memory?.rss ?? NaN,
    anonymous: memory?.anonymous ?? NaN,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    folder: megabytes(sizes),
    logs: megabytes(sizes.filter(({ name }) => name.endsWith('-wal'))),
  }
}

/** What is removed meanwhile takes nothing. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
