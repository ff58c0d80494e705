/**
 * `kill -9` at random moments, again and again on the same folder, and after each the question whether anything that
 * was acknowledged is lost, there twice, or half there.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { checkStore, divergence, type StoreCheck } from './ledger/check-store.ts'
import { isAcknowledged, isOpen, openLedger, type Ledger } from './ledger/ledger.ts'
import { newToken, retryOpen, startLoad } from './ledger/load.ts'
import { nothingKnown } from './ledger/mix.ts'
import { seededRandom } from '../support/random.ts'
import { spawnService, startService, type ServiceProcess } from './ledger/service-process.ts'
import { openedPositions } from '../support/opened-positions.ts'

export interface KillRounds {
  readonly dataDir: string
  readonly rounds: number
  readonly clients: number
  readonly seed: number
  /** Read models are compared with a rebuild after this many rounds, and at the end. */
  readonly verifyEvery: number
  readonly onRound?: (round: number, faults: readonly string[]) => void
}

export interface KillReport {
  readonly faults: readonly string[]
  readonly ledger: Ledger
  readonly events: number
  readonly acknowledged: number
  /** Requests that a kill left without an answer; and those of them, never sent again, that were done all the same. */
  readonly unanswered: number
  readonly doneUnanswered: number
  /** Of every start. */
  readonly readyMs: readonly number[]
}

const LOAD_MS = { least: 20, most: 400 }
/** In this part of the rounds the process is killed once more while it starts. */
const KILLED_AT_START = 0.25

/** Stops at the first round that shows a fault. */
export async function killRounds(options: KillRounds): Promise<KillReport> {
  const { dataDir, rounds, clients, seed, verifyEvery, onRound } = options
  const random = seededRandom(seed)
  const ledger = openLedger(openedPositions(dataDir))
  const known = nothingKnown()
  const faults: string[] = []
  const readyMs: number[] = []
  let unanswered = 0
  let checked: StoreCheck = { faults: [], head: 0, doneUnanswered: 0 }

  /** Starts again, and looks at what the last kill has left; the whole of it after the last round. */
  const startAndCheck = async (since: number): Promise<ServiceProcess> => {
    const service = await startService({ dataDir })
    readyMs.push(service.readyMs)
    known.approver ??= await newToken(service)
    await retryOpen({ service, ledger, known })
    checked = await checkStore({ service, dataDir, entries: ledger.entries, since })
    faults.push(...checked.faults)
    return service
  }

  for (let round = 1; round <= rounds && faults.length === 0; round++) {
    const service = await startAndCheck(checked.head)
    const first = ledger.entries.length
    const load = startLoad({ service, ledger, known, random, clients })
    await delay(random.between(LOAD_MS.least, LOAD_MS.most))
    const { signal } = await service.end('SIGKILL')
    await load.stop()
    unanswered += ledger.entries.slice(first).filter(isOpen).length
    faults.push(...load.faults)
    if (signal !== 'SIGKILL') faults.push(`the service ended by itself:\n${service.output()}`)
    if (random.chance(KILLED_AT_START)) await killAtStart(dataDir, random.between(0, 600))
    if (round % verifyEvery === 0) faults.push(...(await divergence(dataDir)))
    onRound?.(round, faults)
  }

  const last = await startAndCheck(0)
  await last.end('SIGTERM')
  faults.push(...(await divergence(dataDir)))
  return {
    faults,
    ledger,
    events: checked.head,
    acknowledged: ledger.entries.filter(isAcknowledged).length,
    unanswered,
    doneUnanswered: checked.doneUnanswered,
    readyMs,
  }
}

async function killAtStart(dataDir: string, afterMs: number): Promise<void> {
  const child = spawnService({ dataDir })
  await delay(afterMs)
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null)
    await new Promise((resolve) => child.once('exit', resolve))
}
