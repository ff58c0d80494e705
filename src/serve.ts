/** Reads the environment, starts the service, stops it on a signal. With `main.ts` the only file that touches `process`. */
import { pino } from 'pino'
import { startService } from './compose.ts'
import { readConfig } from './config.ts'

async function start(): Promise<void> {
  const config = readConfig(process.env)
  const log = pino({
    level: config.LOG_LEVEL,
    base: { service: 'daybook' },
    timestamp: pino.stdTimeFunctions.isoTime,
  })
  const service = await startService(config, {
    log,
    clock: { now: () => Date.now(), elapsed: () => performance.now() },
    onFatal: (reason) => {
      log.fatal({ reason }, 'the service has to stop')
      process.exit(1)
    },
  })
  if (service.generatedToken !== undefined)
    process.stdout.write(
      `\nThe API token of this new store, shown only this once:\n\n  ${service.generatedToken}\n\n`,
    )
  process.stdout.write(`Daybook is ready on ${service.url}\n`)

  let stopping = false
  const stop = (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
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
}

/** Runs the service until it is told to stop; a start that fails says why on stderr and exits with 1. */
export async function serve(): Promise<void> {
  try {
    await start()
  } catch (error) {
    // A fault of whoever starts it is told, not traced; the trace is there for who asks for it.
    const traced = ['debug', 'trace'].includes(process.env['LOG_LEVEL'] ?? '')
    const detail = error instanceof Error ? (traced && error.stack) || error.message : String(error)
    process.stderr.write(`Daybook cannot start: ${detail}\n`)
    process.exit(1)
  }
}
