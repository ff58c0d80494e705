/**
 * The keys that secrets are kept with: of the setting, else of a file beside the embedded events, else, where several
 * processes must agree without a setting, of the event store itself.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../../api/http/log.ts'
import { secretKeys, type Config } from '../../config.ts'
import { Unavailable } from '../../domain/errors.ts'
import { sealer, type Sealer } from '../../identity/secrets/sealed-secrets.ts'
import { storedKeys } from '../../identity/secrets/stored-keys.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'

export interface SecretsOptions {
  readonly config: Config
  readonly events: Pick<EventStore, 'append' | 'read'>
  readonly clock: Clock
  readonly log: Log
}

export interface Secrets extends Sealer {
  /**
   * Finds the keys; nothing can be sealed before. May be repeated.
   * @throws Error when the file cannot be read or does not hold keys; Unavailable when the event store cannot be asked
   */
  find(): Promise<void>
}

/** A sealer that can be handed out before its keys are known: the store that they lie in may still be on its way up. */
export function secrets(options: SecretsOptions): Secrets {
  let opened: Sealer | undefined
  const ready = () => {
    if (!opened) throw new Unavailable('the keys of secrets are not known yet')
    return opened
  }
  return {
    async find() {
      opened ??= sealer(await keysOf(options))
    },
    seal: (secret, owner) => ready().seal(secret, owner),
    open: (sealed, owner) => ready().open(sealed, owner),
    derive: (purpose) => ready().derive(purpose),
    deriveAll: (purpose) => ready().deriveAll(purpose),
  }
}

async function keysOf({ config, events, clock, log }: SecretsOptions): Promise<readonly Uint8Array[]> {
  if (config.SECRETS_KEYS) return config.SECRETS_KEYS
  if (!config.EVENTSTORE_URL) return keysOfFile(config.DATA_DIR)
  const keys = await storedKeys({ events, clock })
  log.warn(
    {},
    'SECRETS_KEYS is not set: secrets are kept with a key that lies in the event store beside them, and are only as safe as the store',
  )
  return keys
}

const KEY_BYTES = 32

/** One key a line, newest first; made on the first start. */
export function keysOfFile(folder: string): readonly Uint8Array[] {
  const path = join(folder, 'secrets.key')
  mkdirSync(folder, { recursive: true })
  const text = readIfThere(path) ?? makeFile(path)
  try {
    return secretKeys(text.trim().split(/\s+/))
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error })
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Written whole beside its place and then put there, never over another: secrets must not outlive their key. */
function makeFile(path: string): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  const folder = openSync(join(path, '..'), 'r')
  fsyncSync(folder)
  closeSync(folder)
  return readFileSync(path, 'utf8')
}
