/**
 * The power is cut while clients write. What was acknowledged before must be there when it is back.
 *
 * Only a power cut can show this: after `kill -9` the kernel still writes what a process has given it, synced or not.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { checkStore, divergence, type StoreCheck } from './ledger/check-store.ts'
import { isAcknowledged, openLedger, type Ledger } from './ledger/ledger.ts'
import { retryOpen, startLoad } from './ledger/load.ts'
import { openLoopFilesystem, type FilesystemType } from './loop-filesystem.ts'
import { nothingKnown } from './ledger/mix.ts'
import { seededRandom } from '../support/random.ts'
import { endServices, startService } from './ledger/service-process.ts'
import { openedPositions } from '../support/opened-positions.ts'

export interface PowerCuts {
  readonly filesystem: FilesystemType
  readonly rounds: number
  readonly clients: number
  readonly seed: number
  /** The negative control: the event file is written without waiting for the disk. It must lose. */
  readonly withoutSync?: boolean
  readonly onRound?: (round: number, faults: readonly string[]) => void
}

export interface PowerCutReport {
  readonly faults: readonly string[]
  /** Rounds until the first fault, or all of them. */
  readonly rounds: number
  readonly acknowledged: number
  readonly readyMs: readonly number[]
  readonly ledger: Ledger
}

const WITHOUT_SYNC = join(import.meta.dirname, 'preload', 'without-sync.ts')
const MEGABYTES = 512
const LOAD_MS = { least: 100, most: 600 }
/** The service goes on for a while after the cut: whatever it acknowledges then is a lie. */
const IN_THE_DARK_MS = 60

/** Stops at the first round that shows a fault. */
export async function powerCuts(options: PowerCuts): Promise<PowerCutReport> {
  const { filesystem: type, rounds, clients, seed, withoutSync = false, onRound } = options
  const random = seededRandom(seed)
  const known = nothingKnown()
  const faults: string[] = []
  const readyMs: number[] = []
  let checked: StoreCheck = { faults: [], head: 0, doneUnanswered: 0 }
  let round = 0
  const filesystem = openLoopFilesystem(type, MEGABYTES)
  const dataDir = join(filesystem.folder, 'data')
  const ledger = openLedger(openedPositions(dataDir))
  try {
    while (round < rounds && faults.length === 0) {
      round++
      const service = await startService({ dataDir, ...(withoutSync && { preload: WITHOUT_SYNC }) })
      const load = startLoad({ service, ledger, known, random, clients })
      await delay(random.between(LOAD_MS.least, LOAD_MS.most))
      filesystem.cutPower()
      await delay(IN_THE_DARK_MS)
      await service.end('SIGKILL')
      await load.stop()
      filesystem.remount()

      const again = await startService({ dataDir })
      readyMs.push(again.readyMs)
      await retryOpen({ service: again, ledger, known })
      const since = round === rounds ? 0 : checked.head
      checked = await checkStore({ service: again, dataDir, entries: ledger.entries, since })
      await again.end('SIGKILL')
      faults.push(...load.faults, ...checked.faults)
      onRound?.(round, faults)
    }
    if (faults.length === 0) faults.push(...(await divergence(dataDir)))
  } finally {
    await endServices()
    filesystem.close()
  }
  const acknowledged = ledger.entries.filter(isAcknowledged).length
  return { faults, rounds: round, acknowledged, readyMs, ledger }
}
