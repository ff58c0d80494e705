/**
 * `npm run backup -- [folder] <target folder>`: copies events, keys and outbox into a new folder while the service runs.
 * `npm run restore` puts them back; see docs/durability.md.
 */
import { noteBackup } from '../src/api/operations/last-backup.ts'
import { backupStore } from './backup/backup-store.ts'
import { KEYS } from './backup/manifest.ts'
import { commandLine } from './command-line.ts'
import { configOn, FOLDER_USAGE } from './data-folder.ts'
import { messageOf } from '../src/domain/errors.ts'

const USAGE = `usage: npm run backup -- [folder] <target folder>

Copies events, keys and outbox into a new folder while the service runs.
${FOLDER_USAGE}`

const { positionals } = commandLine(USAGE, { positionals: [1, 2] })
const target = positionals.at(-1)!
try {
  const dataDir = positionals.length === 2 ? positionals[0]! : configOn(undefined).DATA_DIR
  const { Events, Keys, Outbox, Files } = await backupStore(dataDir, target)
  console.log(`${target}: ${Events.Count} events, up to position ${Events.Head}`)
  for (const { Name, Bytes } of Files) console.log(`  ${Name}  ${Bytes} bytes`)
  if (!noteBackup(dataDir, target))
    console.log(`No note could be left in ${dataDir}: the metrics of the service do not show this backup.`)
  if (Keys === 'missing')
    console.log(
      `There is no ${KEYS} in ${dataDir}, so the backup has no keys. If the service has its keys in SECRETS_KEYS, keep that ` +
        'value as well, apart from the backup: without it webhook secrets and sessions are lost.',
    )
  if (Outbox === 'missing')
    console.log('There is no webhooks.db: deliveries begin with the next event after a restore.')
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
