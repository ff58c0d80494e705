/**
 * `npm run admin -- reset-password <email> [company Key]`: gives a user a new password, and prints it. For whoever has the
 * machine; it reads the same settings as the service.
 *
 * Where events are embedded it asks the service that runs on DATA_DIR, or, when none does, opens the folder itself. On
 * servers it works beside the processes that run.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { askAdmin } from '../src/api/operations/admin-socket.ts'
import { startService } from '../src/compose/start-service.ts'
import { readConfig, type Config } from '../src/config.ts'
import type { Reset, ResetRequest } from '../src/identity/reset-password.ts'

const USAGE = 'usage: npm run admin -- reset-password <email> [company Key]'

async function main(): Promise<void> {
  const [command, email, company] = process.argv.slice(2)
  if (command !== 'reset-password' || email === undefined) throw new Error(USAGE)
  const config = readConfig(process.env)
  const request = { email, ...(company !== undefined && { company }) }
  const running = config.EVENTSTORE_URL ? undefined : await askAdmin(config.DATA_DIR, request)
  const reset = running ?? (await byItself(config, request))
  console.log(
    `The new password of ${email} in ${reset.company}, shown only this once:\n\n  ${reset.password}\n`,
  )
}

/** A process of its own that serves nobody and sends nothing: without a role, on loopback, at a port that nobody knows. */
async function byItself(config: Config, request: ResetRequest): Promise<Reset> {
  if (!config.EVENTSTORE_URL && !existsSync(join(config.DATA_DIR, 'events.db')))
    throw new Error(`DATA_DIR: there is no store in ${config.DATA_DIR}`)
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
        warn: () => {},
        error: (_fields, message) => void said.push(message),
      },
      clock: { now: () => Date.now(), elapsed: () => performance.now() },
      onFatal: (reason) => {
        throw new Error(reason)
      },
    },
  )
  try {
    return await service.resetPassword(request)
  } finally {
    await service.stop()
    for (const line of said) console.error(line)
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  },
)
