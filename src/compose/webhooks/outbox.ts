/**
 * Where the outbox is kept: in DATA_DIR, by the one process that has it; or in MongoDB where MONGODB_URL names one, shared
 * by all that have the role `webhooks`, and open to the others for what the API asks of it.
 *
 * Drivers are loaded when they are needed.
 */
import { join } from 'node:path'
import type { Clock } from '../../ports/clock.ts'
import type { Outbox, OutboxCheckpoint } from '../../ports/outbox.ts'
import { messageOf } from '../../domain/errors.ts'

export interface OutboxOptions {
  readonly dataDir: string
  /** Where the outbox is, when it is not kept in `dataDir`. */
  readonly mongoUrl?: string | undefined
  readonly clock: Clock
  readonly onTrouble: (message: string, error: unknown) => void
}

/** For a process that fills it and sends. */
export async function openOutbox({ dataDir, mongoUrl, clock, onTrouble }: OutboxOptions): Promise<Outbox> {
  if (mongoUrl !== undefined) return openMongo({ mongoUrl, clock, onTrouble, fills: true })
  const { sqliteOutbox } = await import('../../adapters/sqlite/outbox/outbox.ts')
  const path = join(dataDir, 'webhooks.db')
  try {
    return sqliteOutbox({ path, clock })
  } catch (error) {
    const reason = messageOf(error)
    throw new Error(reason.includes(path) ? reason : `${path}: ${reason}`, { cause: error })
  }
}

/** Which log it has followed; where it is kept in `dataDir`, to be opened before the outbox itself. */
export async function openCheckpoint({
  dataDir,
  mongoUrl,
}: Pick<OutboxOptions, 'dataDir' | 'mongoUrl'>): Promise<OutboxCheckpoint> {
  if (mongoUrl !== undefined)
    return (await import('../../adapters/mongodb/outbox/outbox-checkpoint.ts')).mongoOutboxCheckpoint({
      url: mongoUrl,
    })
  const { openOutboxCheckpoint } = await import('../../adapters/sqlite/outbox/outbox-checkpoint.ts')
  return openOutboxCheckpoint(join(dataDir, 'webhooks.db'))
}

export interface SharedOutbox {
  /** The outbox of other processes, for one that does not send; the same each time. Undefined: there is none. */
  open(): Promise<Outbox> | undefined
  close(): Promise<void>
}

export function sharedOutbox({ mongoUrl, clock, onTrouble }: Omit<OutboxOptions, 'dataDir'>): SharedOutbox {
  let opened: Promise<Outbox> | undefined
  return {
    open() {
      if (mongoUrl === undefined) return undefined
      return (opened ??= openMongo({ mongoUrl, clock, onTrouble, fills: false }))
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}

async function openMongo({
  mongoUrl,
  clock,
  onTrouble,
  fills,
}: Omit<OutboxOptions, 'dataDir'> & { mongoUrl: string; fills: boolean }): Promise<Outbox> {
  const { mongoOutbox } = await import('../../adapters/mongodb/outbox/outbox.ts')
  return mongoOutbox({ url: mongoUrl, clock, onTrouble, fills })
}
