/**
 * `npm run claim-again -- [--without-keys] [folder]`: claims the values of unique fields that are not claimed, and with the option makes
 * new keys of companies where they are lost. Set what the service is started with, and stop every process of it first. See
 * docs/durability.md.
 */
import { openKeyStore } from '../src/compose/parts/keys.ts'
import { sealer } from '../src/identity/secrets/sealed-secrets.ts'
import { LOST_WITHOUT_KEYS } from './backup/restore-store.ts'
import { commandLine } from './command-line.ts'
import { configOn, FOLDER_USAGE } from './data-folder.ts'
import { claimAgain } from './keys/claim-again.ts'
import { linesOf } from './keys/claim-folder.ts'
import { definitionsOf, masterKeysOf } from './keys/of-service.ts'
import { openOffline } from './keys/offline-events.ts'
import { messageOf } from '../src/domain/errors.ts'

async function run(folder: string | undefined, withoutKeys: boolean): Promise<void> {
  const config = configOn(folder)
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

const USAGE = `usage: npm run claim-again -- [--without-keys] [folder]

Claims values of unique fields that are not claimed. Set what the service is started with, and stop every process of it first.
${FOLDER_USAGE}`

const { values, positionals } = commandLine(USAGE, {
  options: { 'without-keys': { type: 'boolean', default: false } },
  positionals: [0, 1],
})
try {
  await run(positionals[0], values['without-keys'])
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
