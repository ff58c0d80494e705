/** Claiming the unique values again in a folder that has events and perhaps keys, and saying what came of it. */
import { join } from 'node:path'
import { sqliteKeyStore } from '../../src/adapters/sqlite/keys/key-store.ts'
import { sealer } from '../../src/identity/secrets/sealed-secrets.ts'
import { claimAgain, type ClaimedAgain } from './claim-again.ts'
import { definitionsOf, masterKeysOf } from './of-service.ts'
import { openOffline } from './offline-events.ts'

/** New keys are made where the folder has none. DEFINITIONS_DIR and SECRETS_KEYS are read as the service reads them. */
export async function claimInFolder(folder: string): Promise<ClaimedAgain> {
  const events = await openOffline(folder)
  try {
    const setting = process.env['SECRETS_KEYS']
    const store = sqliteKeyStore(join(folder, 'keys.db'))
    try {
      return await claimAgain({
        events,
        store,
        sealer: sealer(masterKeysOf({ folder, setting, mayMake: true })),
        definitions: definitionsOf(process.env['DEFINITIONS_DIR']),
        withoutKeys: true,
      })
    } finally {
      await store.close()
    }
  } finally {
    await events.close()
  }
}

/** One line for each thing to know. */
export function linesOf({ claims, renewed, duplicates, unreadable }: ClaimedAgain): readonly string[] {
  return [
    ...(renewed === 0 ? [] : [`${renewed} companies have new keys.`]),
    `${claims} values of unique fields were claimed again.`,
    ...duplicates.map((one) => `An older record has the same value as ${one}.`),
    ...unreadable.map((one) => `Its unique values are not claimed: ${one}`),
  ]
}
