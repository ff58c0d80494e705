/**
 * `npm run upgrade-store -- <folder> <new folder>`: copies an event file of an earlier form into the present one. The
 * service must not run on either folder. What is built from events (read models, search, warehouse) is built again by the
 * first start.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sealer } from '../src/identity/secrets/sealed-secrets.ts'
import { claimAgain } from './backup/claim-again.ts'
import { definitionsOf, masterKeysOf } from './backup/of-service.ts'
import { upgradeEventFile } from './upgrade-store/upgrade-event-file.ts'

const [from, to] = process.argv.slice(2)
if (from === undefined || to === undefined) {
  console.error('usage: npm run upgrade-store -- <folder> <new folder>')
  process.exit(2)
}
const setting = process.env['SECRETS_KEYS']
const made = () => ['events.db', 'keys.db', 'secrets.key'].map((name) => join(to, name))
let isBegun = false
try {
  if (!setting && !existsSync(join(from, 'secrets.key')))
    throw new Error(`There is no secrets.key in ${from}: set SECRETS_KEYS as the service has it.`)
  if (made().some((path) => existsSync(path)))
    throw new Error(`${to} holds a store already; nothing is overwritten.`)
  isBegun = true
  const { events } = upgradeEventFile(from, to)
  const { claims, duplicates } = await claimAgain({
    folder: to,
    definitions: definitionsOf(process.env['DEFINITIONS_DIR']),
    sealer: sealer(masterKeysOf(to, setting)),
  })
  console.log(
    `${events} events of ${from} are in ${to} now, and ${claims} values of unique fields are claimed.`,
  )
  for (const duplicate of duplicates) console.log(`An older record has the same value as ${duplicate}.`)
  console.log('Deliveries of webhooks that were pending are not taken over.')
} catch (error) {
  // A store without all its claims would give unique values a second time: no half of one is left.
  if (isBegun)
    for (const path of made())
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
