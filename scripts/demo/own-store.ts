/**
 * The folder of the demo. A file in it says that the demo made it, whether it is whole, and how to get in; without that file
 * nothing in a folder is touched.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataDir } from '../../src/adapters/sqlite/files/data-dir.ts'

export interface OwnStore {
  readonly token: string
  /** Of all people. */
  readonly password: string
  readonly madeAt: string
  /** Of 10,000 contracts. */
  readonly scale: number
  /** False: it was broken off while it was made. */
  readonly isWhole: boolean
}

const FILE = 'demo.json'

/** @throws Error when the folder holds what the demo did not make */
export function storeIn(dataDir: string): OwnStore | undefined {
  const path = join(dataDir, FILE)
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as OwnStore
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0)
    throw new Error(
      `${dataDir} holds what this demo did not make. Remove it, or name another folder with DATA_DIR`,
    )
  return undefined
}

/** Begins a store, in place of one that the demo made before. @throws Error when a process has it open */
export function beginStore(dataDir: string, scale: number, now: number): OwnStore {
  if (storeIn(dataDir)) {
    lockDataDir(dataDir).release()
    rmSync(dataDir, { recursive: true })
  }
  const store = {
    token: `daybook_${randomBytes(24).toString('base64url')}`,
    password: `demo-${randomBytes(6).toString('hex')}`,
    madeAt: new Date(now).toISOString(),
    scale,
    isWhole: false,
  }
  mkdirSync(dataDir, { recursive: true })
  keep(dataDir, store)
  return store
}

export function endStore(dataDir: string, store: OwnStore): void {
  keep(dataDir, { ...store, isWhole: true })
}

function keep(dataDir: string, store: OwnStore): void {
  writeFileSync(join(dataDir, FILE), `${JSON.stringify(store, null, 2)}\n`, { mode: 0o600 })
}
