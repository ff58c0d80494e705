/** Reads the environment, starts the service, stops it on a signal. With `main.js` the only file that touches `process`. */
import { Session } from 'node:inspector/promises'
import { pino } from 'pino'
import { startService } from './start-service.ts'
import { emptySettings, readConfig } from '../config.ts'
import { fewOpenFiles } from '../open-files.ts'
import type { FirstStart } from '../identity/bootstrap.ts'
import { misspeltSettings } from '../misspelt-settings.ts'
import { loggedError } from '../logged-error.ts'

/** A service manager waits 10 s, as a rule, before it kills. */
const LONGEST_STOP_MS = 9_000

async function start(): Promise<void> {
  // Records are nobody's on this machine but the owner's and their group's.
  process.umask(process.umask() | 0o007)
  const config = readConfig(process.env)
  const log = pino({
    level: config.LOG_LEVEL,
    base: { service: 'daybook' },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: loggedError },
  })
  const few = fewOpenFiles()
  if (few !== undefined) log.warn({}, few)
  for (const setting of misspeltSettings(process.env)) log.warn({ setting }, 'a setting that is not known')
  const empty = emptySettings(process.env)
  if (empty.length > 0) log.info({ settings: empty }, 'settings that are empty have their defaults')
  const service = await startService(config, {
    log,
    clock: { now: () => Date.now(), elapsed: () => performance.now() },
    show: (first) => void process.stdout.write(firstStartText(first)),
    showVoid: () =>
      void process.stdout.write(
        '\nAnother process has made this store at the same time: the values above are void, its own count.\n\n',
      ),
    onFatal: (reason) => {
      log.fatal({ reason }, 'the service has to stop')
      process.exit(1)
    },
  })
  await collectGarbage()

  let stopping = false
  const stop = (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    // A full disk can hold up a follower for as long as it is full. What was acknowledged is stored.
    setTimeout(() => {
      log.warn({}, 'stopped before everything had ended')
      process.exit(0)
    }, LONGEST_STOP_MS).unref()
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  // Without a certificate it is what it is to every program: the terminal is gone.
  if (config.TLS_CERT !== undefined) process.on('SIGHUP', service.renewCertificate)
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (config.ROLES.has('api'))
    process.stdout.write(`Console: ${service.url.replace(/\/+$/, '')}/console?company=${service.company}\n`)
  // Last: who reads this may send a signal at once.
  if (service.notificationUrl !== undefined)
    process.stdout.write(`Daybook notifications are ready on ${service.notificationUrl}\n`)
  process.stdout.write(`Daybook is ready on ${service.url}\n`)
}

/** What a start leaves behind, some 15 MB, V8 would keep until requests need the room. */
async function collectGarbage(): Promise<void> {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.collectGarbage')
  session.disconnect()
}

function firstStartText({ company, companyName, email, password, token }: FirstStart): string {
  const lines = [
    `  Company (CompanyKey)  ${company}  ${companyName}`,
    `  Administrator         ${email}`,
    ...(password === undefined ? [] : [`  Password              ${password}`]),
    ...(token === undefined ? [] : [`  API token             ${token}`]),
  ]
  return `\nThis is a new store. Shown only this once:\n\n${lines.join('\n')}\n\n`
}

/** Runs the service until it is asked to stop; a start that fails says why on stderr and exits with 1. */
export async function serve(): Promise<void> {
  try {
    await start()
  } catch (error) {
    // A wrong setting is reported without a stack trace; LOG_LEVEL=debug shows the trace.
    const traced = ['debug', 'trace'].includes(process.env['LOG_LEVEL'] ?? '')
    const detail = error instanceof Error ? (traced && error.stack) || error.message : String(error)
    process.stderr.write(`Daybook cannot start: ${detail}\n`)
    process.exit(1)
  }
}
