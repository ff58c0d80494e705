/**
 * `npm run claim-again [-- --without-keys]`: claims the values of unique fields that are not claimed, and with the option makes
 * new keys of companies where they are lost. Set what the service is started with, and stop every process of it first. See
 * docs/durability.md.
 */
import { openKeyStore } from '../src/compose/parts/keys.ts'
import { readConfig } from '../src/config.ts'
import { sealer } from '../src/identity/secrets/sealed-secrets.ts'
import { LOST_WITHOUT_KEYS } from './backup/restore-store.ts'
import { commandLine } from './command-line.ts'
import { claimAgain } from './keys/claim-again.ts'
import { linesOf } from './keys/claim-folder.ts'
import { definitionsOf, masterKeysOf } from './keys/of-service.ts'
import { openOffline } from './keys/offline-events.ts'

async function run(withoutKeys: boolean): Promise<void> {
  const config = readConfig(process.env)
  const events = await openOffline(config.DATA_DIR, config.EVENTSTORE_URL)
  try {
    const setting = process.env['SECRETS_KEYS']
    const keys = masterKeysOf({ folder: config.DATA_DIR, setting, mayMake: withoutKeys })
    const { store } = await openKeyStore(config)
    try {
      const claimed = await claimAgain({
        events,
        store,
        sealer: sealer(keys),
        definitions: definitionsOf(config.DEFINITIONS_DIR),
        withoutKeys,
      })
      for (const line of linesOf(claimed)) console.log(line)
      if (claimed.renewed > 0) console.log(`Where the master key was lost as well: ${LOST_WITHOUT_KEYS}`)
    } finally {
      await store.close()
    }
  } finally {
    await events.close()
  }
}

const USAGE = `usage: npm run claim-again [-- --without-keys]

Claims values of unique fields that are not claimed. Set what the service is started with, and stop every process of it first.`

const { values } = commandLine(USAGE, { options: { 'without-keys': { type: 'boolean', default: false } } })
try {
  await run(values['without-keys'])
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
