/**
 * `npm run backup -- <DATA_DIR> <target folder>`: copies events, keys and outbox into a new folder while the service runs.
 * `npm run restore` puts them back; see docs/durability.md.
 */
import { noteBackup } from '../src/api/operations/last-backup.ts'
import { backupStore } from './backup/backup-store.ts'
import { KEYS } from './backup/manifest.ts'
import { commandLine } from './command-line.ts'

const USAGE = 'usage: npm run backup -- <DATA_DIR> <target folder>'

const [dataDir, target] = commandLine(USAGE, { positionals: [2, 2] }).positionals as [string, string]
try {
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
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
