/**
 * Threads that answer requests beside the main one (docs/decisions/readers-on-one-port.md): all listen on one port, and the
 * kernel gives each some of the connections. This is the main thread's end; `compose/threads/reader.ts` is the other.
 */
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import type { EngineLink } from '../../adapters/sqlite/events/engine-link.ts'
import { calls, type Calls } from '../../adapters/threads/calls.ts'
import { Line } from '../../adapters/threads/line.ts'
import type { HttpServer } from '../../api/http/http-server.ts'
import type { Reserves } from '../../api/http/limits/reservations.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../api/operations/metrics.ts'
import { judge, type JudgeOptions } from '../../identity/judged-elsewhere.ts'
import { endOf, keepThread, type RunningThread } from '../../adapters/threads/keep-thread.ts'
import type { AskedOfMain, AskedOfReader, ReaderData } from '../threads/reader.ts'
import type { Board } from './board.ts'
import { passOn } from './engine-changes.ts'

export interface ReadersOptions extends JudgeOptions {
  readonly data: Omit<ReaderData, 'board' | 'changes' | 'from' | 'readModelPath' | 'threads'>
  /** How many, beside the main thread. */
  readonly count: number
  readonly board: Board
  readonly engine: EngineLink
  readonly reserves: Reserves
  readonly server: Pick<HttpServer, 'serve'>
  readonly metrics: Pick<Metrics, 'answered'>
  readonly log: Log
  /** Why requests are refused for now; undefined when they are not. */
  readonly notReady: () => string | undefined
  readonly onFatal: (reason: string) => void
}

export interface Readers {
  /** Resolves when all that they have answered is counted. */
  counted(): Promise<void>
  renewCertificate(): void
  /** Lets requests under way finish. */
  stop(): Promise<void>
}

interface Running extends RunningThread {
  readonly line: Calls
}

/** How soon readers leave requests to the main thread, which says why they are refused, in ms. */
const READY_MS = 200
/** What a request makes is garbage at once: without a limit V8 lets much of it lie. */
const MEMORY = { maxYoungGenerationSizeMb: 16 }

/** @throws Error when one cannot be started */
export async function startReaders(options: ReadersOptions): Promise<Readers> {
  const { data, count, board, engine, notReady, log, onFatal } = options
  const ports = new Set<MessagePort>()
  passOn(engine, board, ports)
  const answers = answersFor(options)

  const spawn = (): Running => {
    const { port1, port2 } = new MessageChannel()
    const workerData: ReaderData = {
      ...data,
      threads: count + 1,
      board: board.memory,
      changes: port2,
      from: board.get('changes'),
      readModelPath: engine.readModelPath,
    }
    const worker = new Worker(new URL('../threads/reader.ts', import.meta.url), {
      name: 'requests',
      workerData,
      transferList: [port2],
      resourceLimits: MEMORY,
    })
    ports.add(port1)
    const line = calls(worker, { ...answers })
    const ended = endOf(worker).finally(() => {
      ports.delete(port1)
      port1.close()
      line.cut()
    })
    return { line, ended, opened: line.call('listening' satisfies keyof AskedOfReader) }
  }

  const started = Array.from({ length: count }, spawn)
  const kept = started.map((first) =>
    keepThread({ what: 'a thread that answers requests', first, spawn, log, onFatal }),
  )
  const look = () => board.set('open', notReady() === undefined ? 1 : 0)
  const looking = setInterval(look, READY_MS).unref()
  const readers: Readers = {
    async counted() {
      await Promise.allSettled(
        kept.map((one) => one.current().line.call('count' satisfies keyof AskedOfReader)),
      )
    },
    renewCertificate() {
      for (const one of kept) one.current().line.send('renewCertificate' satisfies keyof AskedOfReader)
    },
    async stop() {
      clearInterval(looking)
      board.set('open', 0)
      await Promise.all(
        kept.map((one) => one.stop(({ line }) => line.call('stop' satisfies keyof AskedOfReader))),
      )
    },
  }
  try {
    await Promise.all(started.map(listens))
  } catch (error) {
    await readers.stop()
    throw error
  }
  look()
  return readers
}

/** @throws Error when it ends before that */
async function listens({ opened, ended }: Running): Promise<void> {
  const failed = ended.then((reason) => {
    throw new Error(`a thread that answers requests cannot be started: ${reason}`)
  })
  await Promise.race([opened.catch(() => failed), failed])
}

/** What readers may ask of this thread. */
function answersFor({ reserves, metrics, log, server, ...judging }: ReadersOptions): AskedOfMain {
  return {
    judge: judge(judging),
    reserve: async (counted) => reserves.reserve(counted),
    giveBack: (counted, count) => reserves.giveBack(counted, count),
    answered(flat) {
      for (let at = 0; at < flat.length; at += 4) {
        const [method, route, status, seconds] = flat.slice(at, at + 4) as [string, string, number, number]
        metrics.answered(method, route, status, seconds)
      }
    },
    log: (level, fields, message) => log[level](fields, message),
    connected: (end, peer) => server.serve(new Line(end, peer)),
  }
}
