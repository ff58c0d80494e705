/** A folder that no other process has: several processes over servers may share DATA_DIR. */
import { mkdirSync } from 'node:fs'
import { lockDataDir } from './data-dir.ts'

const MOST_PROCESSES = 100

/**
 * The first that is free of this path and those with a number after it, made if need be, and held.
 * @throws Error when all are taken
 */
export function freeFolder(path: string): { readonly folder: string; readonly release: () => void } {
  for (let i = 1; ; i++) {
    const folder = i === 1 ? path : `${path}-${i}`
    mkdirSync(folder, { recursive: true })
    try {
      return { folder, release: lockDataDir(folder).release }
    } catch (error) {
      if (i === MOST_PROCESSES) throw error
    }
  }
}
