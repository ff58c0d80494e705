/**
 * `npm run restore -- <backup> <DATA_DIR> [--without-keys]`: checks a backup and copies it into a new folder. Start the
 * service on that folder: it builds everything else from the events. See docs/durability.md.
 */
import { parseArgs } from 'node:util'
import { LOST_WITHOUT_KEYS, restoreStore } from './backup/restore-store.ts'
import { claimInFolder, linesOf } from './keys/claim-folder.ts'

const USAGE = 'usage: npm run restore -- <backup> <DATA_DIR> [--without-keys]'

/** Of the command line; undefined where it cannot be understood. */
function read() {
  try {
    const { values, positionals } = parseArgs({
      options: { 'without-keys': { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const [backup, dataDir] = positionals
    if (backup === undefined || dataDir === undefined || positionals.length > 2) return undefined
    return { backup, dataDir, withoutKeys: values['without-keys'] }
  } catch {
    return undefined
  }
}

const asked = read()
if (!asked) {
  console.error(USAGE)
  process.exitCode = 2
} else
  try {
    const { backup, dataDir, withoutKeys } = asked
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
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
