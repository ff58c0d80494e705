/**
 * Starts Daybook for the demo, on a data folder of the demo's own.
 *
 * The token is made once and kept beside the data, readable by the owner alone: the service itself keeps only its hash.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Instance } from './api-client.ts'

export interface OwnInstance extends Instance {
  /** Resolves with the service's exit code when it has ended, by itself or by `stop`. */
  readonly ended: Promise<number>
  stop(): void
}

const SERVICE = join(import.meta.dirname, '..', '..', 'src', 'main.js')

export interface OwnInstanceOptions {
  readonly dataDir: string
  readonly environment: NodeJS.ProcessEnv
}

/** @throws Error when the folder's token is not known, or the service does not start (it has said why) */
export async function startOwnInstance({ dataDir, environment }: OwnInstanceOptions): Promise<OwnInstance> {
  const token = tokenOf(dataDir)
  const child = spawn(process.execPath, [SERVICE], {
    env: {
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
      BOOTSTRAP_COMPANY: 'Demo leasing company',
      ...environment,
      DATA_DIR: dataDir,
      BOOTSTRAP_TOKEN: token,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code]) => (code as number | null) ?? 1)
  const ready = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /^Daybook is ready on (http\S+)$/.exec(line)?.[1]
      if (url) resolve(url)
    })
  })
  const url = await Promise.race([ready, ended])
  if (typeof url === 'number') throw new Error('the service did not start')
  return { url, token, ended, stop: () => void child.kill('SIGTERM') }
}

function tokenOf(dataDir: string): string {
  const path = join(dataDir, 'demo-token')
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  if (existsSync(join(dataDir, 'events.db')))
    throw new Error(
      `${dataDir} holds a store that the demo did not make; start it yourself and set DAYBOOK_URL and DAYBOOK_TOKEN`,
    )
  const token = `daybook_${randomBytes(24).toString('base64url')}`
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(path, `${token}\n`, { mode: 0o600 })
  return token
}
