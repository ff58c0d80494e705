/** Starts the service in the process of the demo, on a folder of its own: for the year with the year's clock, then with the real one. */
import { startService, type Service } from '../../src/compose/start-service.ts'
import { readConfig } from '../../src/config.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Log } from '../../src/ports/log.ts'

export interface RunOptions {
  readonly dataDir: string
  readonly settings: Readonly<Record<string, string | undefined>>
  readonly log: Log
  readonly clock?: Clock
  readonly lookAtTimersMs?: number
}

/** What was received is kept for the whole year, for people to look at. */
const OWN = { RATE_LIMIT_PER_MINUTE: '0', INBOX_KEEP_DAYS: '400' }

const realClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }

export function runService({
  dataDir,
  settings,
  log,
  clock = realClock,
  ...more
}: RunOptions): Promise<Service> {
  const config = readConfig({ ...OWN, ...settings, DATA_DIR: dataDir })
  return startService(config, {
    ...more,
    log,
    clock,
    onFatal(reason) {
      console.error(`The service has to stop: ${reason}`)
      process.exit(1)
    },
  })
}
