/**
 * `npm run move-keys -- [folder]`: takes the keys of companies to where the service keeps them with its new settings: into MongoDB where
 * MONGODB_URL was added, from there into DATA_DIR where it was removed or is another. FROM_MONGODB_URL names the MongoDB of
 * before, where there was one. Stop every process first. See docs/durability.md.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openKeyStore } from '../src/compose/parts/keys.ts'
import { commandLine } from './command-line.ts'
import { configOn, FOLDER_USAGE } from './data-folder.ts'
import { moveKeys } from './keys/move-keys.ts'
import { openOffline } from './keys/offline-events.ts'
import { messageOf } from '../src/domain/errors.ts'

async function run(folder: string | undefined): Promise<void> {
  const config = configOn(folder)
  const { DATA_DIR, EVENTSTORE_URL } = config
  const MONGODB_URL = process.env['FROM_MONGODB_URL'] || undefined
  if (MONGODB_URL === undefined && config.MONGODB_URL === undefined)
    throw new Error('Set MONGODB_URL to move the keys there, or FROM_MONGODB_URL to move them from there.')
  if (MONGODB_URL === undefined && !existsSync(join(DATA_DIR, 'keys.db')))
    throw new Error(`There is no keys.db in ${DATA_DIR}.`)
  const events = await openOffline(DATA_DIR, EVENTSTORE_URL)
  try {
    const from = await openKeyStore({ DATA_DIR, MONGODB_URL })
    const to = await openKeyStore(config)
    try {
      const moved = await moveKeys({ events, from, to })
      console.log(
        moved === undefined
          ? `The keys are in ${to.place} already.`
          : `${moved} keys were moved to ${to.place}. Those in ${from.place} do not count any more.`,
      )
    } finally {
      await from.store.close()
      await to.store.close()
    }
  } finally {
    await events.close()
  }
}

const USAGE = `usage: npm run move-keys -- [folder]

Takes the keys of companies to where MONGODB_URL says, or into the folder. Stop every process of the service first.
${FOLDER_USAGE}`

const { positionals } = commandLine(USAGE, { positionals: [0, 1] })
try {
  await run(positionals[0])
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
