/**
 * `npm run upgrade-store -- <folder> <new folder>`: copies an event file of an earlier form into the present one. The
 * service must not run on either folder. What is built from events (read models, search, warehouse) is built again by the
 * first start.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataDir } from '../src/adapters/sqlite/files/data-dir.ts'
import { commandLine } from './command-line.ts'
import { claimInFolder, linesOf } from './keys/claim-folder.ts'
import { upgradeEventFile } from './upgrade-store/upgrade-event-file.ts'
import { messageOf } from '../src/domain/errors.ts'

const USAGE = 'usage: npm run upgrade-store -- <folder> <new folder>'

const [from, to] = commandLine(USAGE, { positionals: [2, 2] }).positionals as [string, string]
const setting = process.env['SECRETS_KEYS']
const made = () => ['events.db', 'keys.db', 'secrets.key'].map((name) => join(to, name))
let isBegun = false
try {
  if (!setting && !existsSync(join(from, 'secrets.key')))
    throw new Error(`There is no secrets.key in ${from}: set SECRETS_KEYS as the service has it.`)
  if (made().some((path) => existsSync(path)))
    throw new Error(`${to} holds a store already; nothing is overwritten.`)
  const { release } = lockDataDir(from)
  isBegun = true
  const { events } = upgradeEventFile(from, to)
  release()
  console.log(`${events} events of ${from} are in ${to} now.`)
  for (const line of linesOf(await claimInFolder(to))) console.log(line)
  console.log('Deliveries of webhooks that were pending are not taken over.')
} catch (error) {
  // A store without all its claims would give unique values a second time: no half of one is left.
  if (isBegun)
    for (const path of made())
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  console.error(messageOf(error))
  process.exitCode = 1
}
