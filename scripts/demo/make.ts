/** Makes the store of the demo: a service that only this process reaches lives through a year, and is stopped. */
import type { Log } from '../../src/ports/log.ts'
import { companyOfSize, monthsAfter } from './company.ts'
import { demoClock } from './demo-clock.ts'
import { PEOPLE } from './people.ts'
import type { Progress } from './progress.ts'
import { runService } from './run-service.ts'
import { moment, workday } from './year/agenda.ts'
import { liveAYear } from './year/live.ts'

export interface Making {
  readonly dataDir: string
  /** 1: 10,000 contracts. */
  readonly scale: number
  /** The present, in ms since 1970: the year ends before it. */
  readonly now: number
  readonly token: string
  readonly password: string
  readonly settings: Readonly<Record<string, string | undefined>>
  readonly log: Log
  readonly progress: Progress
}

const LOOK_MS = 20
/** The last hours are left to whoever tries the demo. */
const BEFORE_NOW_MS = 3 * 3_600_000

export async function makeDemo({ dataDir, scale, now, token, password, settings, log, progress }: Making) {
  const present = `${new Date(now).toISOString().slice(0, 7)}-01`
  const company = companyOfSize(scale, { number: 1, today: monthsAfter(present, -12) })
  const clock = demoClock(moment(workday(company.today), 7))
  const service = await runService({
    dataDir,
    settings: {
      ...settings,
      HOST: '127.0.0.1',
      PORT: '0',
      // The other systems of the year are in this process.
      WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8',
      BOOTSTRAP_COMPANY: 'Linden Property Management',
      BOOTSTRAP_EMAIL: PEOPLE.maria.email,
      BOOTSTRAP_PASSWORD: password,
      BOOTSTRAP_TOKEN: token,
    },
    log,
    clock,
    lookAtTimersMs: LOOK_MS,
  })
  try {
    const { url } = service
    await liveAYear({ url, token, password, company, end: now - BEFORE_NOW_MS, clock, progress })
  } finally {
    await service.stop()
  }
}
