/**
 * `npm run upgrade-store -- <folder> <new folder>`: copies an event file of an earlier form into the present one. The
 * service must not run on either folder. What is built from events (read models, search, warehouse) is built again by the
 * first start.
 */
import { sealer } from '../src/identity/secrets/sealed-secrets.ts'
import { claimAgain } from './backup/claim-again.ts'
import { definitionsOf, masterKeysOf } from './backup/of-service.ts'
import { upgradeEventFile } from './upgrade-store/upgrade-event-file.ts'

const [from, to] = process.argv.slice(2)
if (from === undefined || to === undefined) {
  console.error('usage: npm run upgrade-store -- <folder> <new folder>')
  process.exit(2)
}
try {
  const { events, secretsKey } = upgradeEventFile(from, to)
  const { claims } = await claimAgain({
    folder: to,
    definitions: definitionsOf(process.env['DEFINITIONS_DIR']),
    sealer: sealer(masterKeysOf(to, process.env['SECRETS_KEYS'])),
  })
  console.log(
    `${events} events of ${from} are in ${to} now, and ${claims} values of unique fields are claimed.`,
  )
  console.log(
    secretsKey
      ? 'secrets.key was copied with them.'
      : `There is no secrets.key in ${from}: start the service with the SECRETS_KEYS that it was run with.`,
  )
  console.log('Deliveries of webhooks that were pending are not taken over.')
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
