/** What a `Daybook-Position` stands for, read and made with the keys that lie in a service's own folder. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { positionTokens } from '../../src/api/http/position-tokens.ts'
import { masterKeysOfFolder } from '../../src/adapters/sqlite/keys/master-key-file.ts'
import { sealer } from '../../src/identity/secrets/sealed-secrets.ts'

/**
 * For answers to the first company of an embedded store. Its folder need not be there before the first is read, and may hold
 * another store by then than it did: one that lost all of its events is made again.
 */
export function openedPositions(dataDir: string): (token: string) => number {
  let positions: StorePositions | undefined
  return (token) => {
    try {
      return (positions ??= positionsOf(dataDir)).read(token)
    } catch {
      return (positions = positionsOf(dataDir)).read(token)
    }
  }
}

export interface StorePositions {
  read(token: string): number
  write(position: number): string
}

/** @param log another log than the store's own */
export function positionsOf(dataDir: string, log?: string): StorePositions {
  const db = new DatabaseSync(join(dataDir, 'events.db'), { readOnly: true, timeout: 5_000 })
  const valueOf = (sql: string) => db.prepare(sql).get()?.['value'] as string
  const own = valueOf('SELECT id AS value FROM events WHERE position = 1')
  const company = valueOf(`SELECT company AS value FROM events WHERE type = 'company.created'`)
  db.close()
  const keys = [...sealer(masterKeysOfFolder(dataDir)).deriveAll('positions').values()]
  const tokens = positionTokens({ keys: () => keys, log: () => log ?? own })
  return {
    read(token) {
      const position = tokens.read(company, 'write', token)
      if (typeof position === 'string')
        throw new Error(`${token} is not a position of this store: ${position}`)
      return position
    },
    write: (position) => tokens.write(company, 'write', position),
  }
}
