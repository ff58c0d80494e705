/** Where files are read: folders that are gone when they have been. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders for what is being read. What a process that died has left is removed with the next use. */
export function scratchIn(folder: string) {
  let isClean = false
  const own = `${process.pid}-`
  const clean = () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(folder))
      if (!existsSync(`/proc/${name.split('-')[0]}`) || name.startsWith(own))
        rmSync(join(folder, name), { recursive: true, force: true })
    isClean = true
  }
  return {
    async make() {
      if (!isClean) clean()
      return mkdtemp(join(folder, own))
    },
  }
}
