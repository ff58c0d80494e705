/** A folder of scratch files that is one process's own, also among containers, whose processes all have the same number. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataDir } from '../files/data-dir.ts'

export interface ScratchFolder {
  readonly folder: string
  /** From then on the next process that opens one here may remove it. */
  readonly letGo: () => void
}

/** Makes one in `parent`, and removes what processes that have ended have left there. */
export function scratchFolder(parent: string): ScratchFolder {
  mkdirSync(parent, { recursive: true })
  for (const name of readdirSync(parent)) removeUnlessHeld(join(parent, name))
  const folder = join(parent, randomUUID())
  mkdirSync(folder)
  return { folder, letGo: lockDataDir(folder).release }
}

function removeUnlessHeld(folder: string): void {
  try {
    lockDataDir(folder).release()
  } catch {
    return
  }
  rmSync(folder, { recursive: true, force: true })
}
