/**
 * `npm run restore -- <backup> <new folder> [--without-keys]`: checks a backup and copies it into a new folder. Start the
 * service on that folder: it builds everything else from the events. See docs/durability.md.
 */
import { LOST_WITHOUT_KEYS, restoreStore } from './backup/restore-store.ts'
import { commandLine } from './command-line.ts'
import { claimInFolder, linesOf } from './keys/claim-folder.ts'
import { messageOf } from '../src/domain/errors.ts'

const USAGE = `usage: npm run restore -- <backup> <new folder> [--without-keys]

Checks a backup and copies it into a new folder, never into that of a service.`

const { values, positionals } = commandLine(USAGE, {
  options: { 'without-keys': { type: 'boolean', default: false } },
  positionals: [2, 2],
})
const [backup, dataDir] = positionals as [string, string]
const withoutKeys = values['without-keys']
try {
  const { Events, CreatedAt, Outbox } = await restoreStore(backup, dataDir, {
    withoutKeys,
    keysAreSet: Boolean(process.env['SECRETS_KEYS']),
  })
  console.log(`${dataDir}: ${Events.Count} events, up to position ${Events.Head}, as of ${CreatedAt}`)
  if (withoutKeys) {
    console.log(LOST_WITHOUT_KEYS)
    for (const line of linesOf(await claimInFolder(dataDir))) console.log(line)
  }
  if (Outbox === 'missing')
    console.log(
      'The backup has no outbox: deliveries begin with the next event, and what was due is not sent.',
    )
  console.log(`Start the service with DATA_DIR=${dataDir}.`)
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
