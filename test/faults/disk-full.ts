/** The disk is full while clients write, and then it is not any more. */
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { checkStore, divergence } from './ledger/check-store.ts'
import { httpClient, type HttpAnswer, type HttpClient } from './ledger/http-client.ts'
import { isAcknowledged, openLedger, pathOf, type Entry } from './ledger/ledger.ts'
import { retryOpen, startLoad } from './ledger/load.ts'
import { openLoopFilesystem } from './loop-filesystem.ts'
import { nothingKnown } from './ledger/mix.ts'
import { seededRandom } from '../support/random.ts'
import { endServices, startService } from './ledger/service-process.ts'
import { openedPositions } from '../support/opened-positions.ts'

export interface DiskFull {
  readonly clients: number
  readonly seed: number
  /** How long the disk stays full after the first write was refused. */
  readonly fullMs: number
}

export interface DiskFullReport {
  readonly faults: readonly string[]
  readonly refused: number
  readonly acknowledged: number
  /** Reads that were made while the disk was full. */
  readonly reads: number
  /** From the moment when there is space again to the first write that is acknowledged. */
  readonly resumedMs: number
}

/** Room for the write-ahead logs of what is written before and after, and for the next start to work with. */
const MEGABYTES = 1_024
const LONGEST_WAIT_MS = 60_000

export async function diskFull({ clients, seed, fullMs }: DiskFull): Promise<DiskFullReport> {
  const known = nothingKnown()
  const filesystem = openLoopFilesystem('ext4', MEGABYTES)
  const dataDir = join(filesystem.folder, 'data')
  const ledger = openLedger(openedPositions(dataDir))
  const filler = join(filesystem.folder, 'filler')
  const faults: string[] = []
  let stopFilling = () => {}
  try {
    const service = await startService({ dataDir, settings: { LOG_LEVEL: 'silent' } })
    const http = httpClient(service)
    const load = startLoad({ service, ledger, known, random: seededRandom(seed), clients })
    await until(() => ledger.entries.filter(isAcknowledged).length >= 100, 'a hundred writes')

    stopFilling = keepFull(filler)
    await until(() => ledger.entries.some(isRefusedForSpace), 'a write that is refused')
    const full = performance.now()
    let reads = 0
    while (performance.now() - full < fullMs) {
      reads++
      faults.push(...(await readFaults(http, known.contracts[reads % known.contracts.length]!.key)))
      await delay(5)
    }
    stopFilling()
    const freed = performance.now()
    const resumedAt = () =>
      ledger.entries.find((entry) => isAcknowledged(entry) && entry.sentAt > freed)?.answer?.at
    await until(() => resumedAt() !== undefined || !service.isRunning(), 'a write that is acknowledged again')
    await delay(500) // and goes on doing so
    await load.stop()
    if (!service.isRunning()) faults.push(`the service has ended:\n${service.output()}`)
    faults.push(...load.faults, ...ledger.entries.flatMap((entry) => wrapperFaults(entry)))
    const resumedMs = (resumedAt() ?? Infinity) - freed

    await retryOpen({ service, ledger, known })
    faults.push(...(await checkStore({ service, dataDir, entries: ledger.entries })).faults)
    http.close()
    await service.end('SIGTERM')
    const again = await startService({ dataDir })
    faults.push(...(await checkStore({ service: again, dataDir, entries: ledger.entries })).faults)
    await again.end('SIGTERM')
    faults.push(...(await divergence(dataDir)))
    return {
      faults,
      refused: ledger.entries.filter(isRefusedForSpace).length,
      acknowledged: ledger.entries.filter(isAcknowledged).length,
      reads,
      resumedMs,
    }
  } finally {
    stopFilling()
    await endServices()
    filesystem.close()
  }
}

const isRefusedForSpace = ({ answer }: Entry): boolean => answer !== undefined && answer.status >= 500

/** Takes every block there is, and those that come free meanwhile. Returns what gives all of them back. */
export function keepFull(path: string): () => void {
  const { bavail, bsize } = statfsSync(dirname(path))
  // Most of it at once, without writing it; where that program is missing, it takes longer.
  spawnSync('fallocate', ['--length', String(Math.max(1, bavail * bsize - 8 * 2 ** 20)), path])
  const file = openSync(path, 'a')
  const fill = () => {
    for (let size = 2 ** 20; size >= 512; size /= 2) while (written(file, size));
  }
  fill()
  const timer = setInterval(fill, 20)
  let full = true
  return () => {
    if (!full) return
    full = false
    clearInterval(timer)
    closeSync(file)
    rmSync(path)
  }
}

function written(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes, 1)) === bytes
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    return false
  }
}

/** A read answers as ever: with the record, or that it is deleted. */
async function readFaults(http: HttpClient, key: string): Promise<string[]> {
  const one = await http.send({ method: 'GET', path: `/api/v1/${pathOf(key)}` })
  const list = await http.send({ method: 'GET', path: '/api/v1/contract?pageSize=5' })
  const wrong = (what: string, answer: HttpAnswer | undefined) =>
    `while the disk was full, ${what} answered ${answer?.status ?? 'nothing'}`
  return [
    ...(one?.status === 200 || one?.status === 404 ? [] : [wrong(`GET of ${key}`, one)]),
    ...(list?.status === 200 ? [] : [wrong('a list', list)]),
  ]
}

/** Every write is answered, and a refusal is in the Error wrapper. */
function wrapperFaults({ id, answer }: Entry): string[] {
  if (!answer) return [`${id} was not answered`]
  if (answer.status < 500) return []
  const { Code, Message, Details } = (answer.data ?? {}) as Record<string, unknown>
  const whole = Code === 'SERVER_ERROR' && typeof Message === 'string' && Array.isArray(Details)
  return whole ? [] : [`${id} was refused without the Error wrapper: ${JSON.stringify(answer.data)}`]
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + LONGEST_WAIT_MS
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited too long for ${what}`)
    await delay(10)
  }
}
