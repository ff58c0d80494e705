/**
 * `npm run admin -- [folder] reset-password <email> [company Key]` gives a user a new password, `npm run admin -- new-token <email>
 * [company Key]` an API token with the user's roles, and prints it; `npm run admin -- make-admin <email> [company Key]` makes the
 * user active, with the role system_admin. For operators of the machine; it reads the same settings as the service.
 *
 * Where something is kept in DATA_DIR it asks the service that runs on it, or, when none does, opens the folder itself.
 * Where everything is on servers it works beside the processes that run.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { askAdmin } from '../src/api/operations/admin-socket.ts'
import { openSource } from '../src/compose/source.ts'
import { startService } from '../src/compose/start-service.ts'
import type { Config } from '../src/config.ts'
import { Unavailable, messageOf } from '../src/domain/errors.ts'
import { SYSTEM } from '../src/domain/events/event.ts'
import { meantName } from '../src/domain/filter/closest-name.ts'
import { commandLine, refuse } from './command-line.ts'
import { configOn, FOLDER_USAGE } from './data-folder.ts'
import { ADMIN_COMMANDS, type AdminAnswer, type AdminRequest } from '../src/identity/let-in.ts'

const USAGE = `usage: npm run admin -- [folder] ${ADMIN_COMMANDS.join('|')} <email> [company Key]

Lets a user in again, for the owner of the machine: docs/identity.md.
${FOLDER_USAGE}`
const RETRY_MS = 1_000

async function main(): Promise<void> {
  const { positionals } = commandLine(USAGE, { positionals: [2, 4] })
  const folder = commandNamed(positionals[0]) ? undefined : positionals[0]
  const [name = '', email, company, more] = folder === undefined ? positionals : positionals.slice(1)
  const command = commandNamed(name) ?? refuse(USAGE, noCommand(positionals.slice(0, 2)))
  if (email === undefined) refuse(USAGE)
  if (more !== undefined) refuse(USAGE, `${more}: this is one argument too many.`)
  const config = configOn(folder)
  const request: AdminRequest = { command, email, ...(company !== undefined && { company }) }
  const onServers = config.EVENTSTORE_URL !== undefined && config.MONGODB_URL !== undefined
  const running = onServers ? undefined : await askAdmin(config.DATA_DIR, request)
  const { company: of, secret } = running ?? (await byItself(config, request))
  if (secret === undefined) return console.log(`${email} administers ${of} now.`)
  const what = command === 'new-token' ? 'A new API token' : 'The new password'
  console.log(`${what} of ${email} in ${of}, shown only this once:\n\n  ${secret}\n`)
}

const commandNamed = (word: string | undefined) => ADMIN_COMMANDS.find((one) => one === word)
function noCommand(words: readonly string[]): string {
  const word = words.find((one) => meantName(one, ADMIN_COMMANDS) !== '') ?? words[0]!
  return `${word}: there is no such command${meantName(word, ADMIN_COMMANDS)}`
}

/** A process of its own that serves nobody and sends nothing: without a role, on loopback, at a port that nobody knows. */
async function byItself(config: Config, request: AdminRequest): Promise<AdminAnswer> {
  await requireStore(config)
  const said: string[] = []
  const service = await startService(
    {
      ...config,
      PORT: 0,
      HOST: '127.0.0.1',
      ROLES: new Set(),
    },
    {
      log: {
        debug: () => {},
        info: () => {},
        warn: (fields, message) => sayOnce(`${message}${detailOf(fields)}`),
        error: (_fields, message) => void said.push(message),
      },
      clock: { now: () => Date.now(), elapsed: () => performance.now() },
      onFatal: (reason) => {
        throw new Error(reason)
      },
    },
  )
  try {
    return await service.letIn(request)
  } finally {
    await service.stop()
    for (const line of said) console.error(line)
  }
}

/** A start on an empty store would found a company. @throws Error where there is no store */
async function requireStore({ DATA_DIR: dataDir, EVENTSTORE_URL: eventStoreUrl }: Config): Promise<void> {
  if (eventStoreUrl === undefined) {
    if (!existsSync(join(dataDir, 'events.db'))) throw new Error(`DATA_DIR: there is no store in ${dataDir}`)
    return
  }
  const source = await openSource({ dataDir, eventStoreUrl })
  try {
    const founded = await answered(() => source.read(SYSTEM, 'bootstrap'))
    if (!founded.some(({ type }) => type === 'bootstrap.completed'))
      throw new Error('EVENTSTORE_URL: there is no store on this server')
  } finally {
    await source.close()
  }
}

/** Waits for a server that is away, and says so. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      sayOnce(`waiting for EVENTSTORE_URL (${error.message})`)
      await delay(RETRY_MS)
    }
}

const saidAlready = new Set<string>()
function sayOnce(line: string): void {
  if (!saidAlready.has(line)) console.error(line)
  saidAlready.add(line)
}

function detailOf(fields: object): string {
  return 'detail' in fields ? ` (${String(fields.detail)})` : ''
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(messageOf(error))
    process.exit(1)
  },
)
