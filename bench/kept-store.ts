/** Stores that are filled once and used by many runs: to fill a million contracts takes longer than to measure them. */
import { constants, cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Dataset } from './dataset.ts'
import { access } from './requests.ts'

interface Kept {
  readonly token: string
  readonly dataset: Dataset
}

/** The kept store of this size, or undefined when there is none. Runs use its token from then on. */
export function keptStore(folder: string, records: number): { path: string; dataset: Dataset } | undefined {
  const path = join(folder, `store-${records}`)
  const description = `${path}.json`
  if (!existsSync(description)) return undefined
  const { token, dataset } = JSON.parse(readFileSync(description, 'utf8')) as Kept
  access.token = token
  return { path, dataset }
}

/** Keeps what a service has just filled, and has ended with. */
export function keepStore(folder: string, dataDir: string, dataset: Dataset): void {
  const path = join(folder, `store-${dataset.records}`)
  mkdirSync(folder, { recursive: true })
  copyStore(dataDir, `${path}.part`)
  renameSync(`${path}.part`, path)
  const kept: Kept = { token: access.token, dataset }
  writeFileSync(`${path}.json`, JSON.stringify(kept))
}

export function copyStore(from: string, to: string): void {
  cpSync(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE })
}
