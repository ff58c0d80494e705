/**
 * A thread that answers requests beside the main one, on the same port. The composition root of this thread, as
 * `compose/start-service.ts` is of the process; `compose/readers/readers.ts` is the other end.
 */
import { MessageChannel, parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { sqliteReadModels } from '../../adapters/sqlite/read-models/read-models.ts'
import { calls } from '../../adapters/threads/calls.ts'
import { Line, type Peer } from '../../adapters/threads/line.ts'
import type { CommonHeaders } from '../../api/http/common-headers.ts'
import { handsOver } from '../../api/reading/hand-over.ts'
import { httpServer, type CertificateFiles } from '../../api/http/http-server.ts'
import { reservations, type Counted, type Reserved } from '../../api/http/limits/reservations.ts'
import type { Log } from '../../ports/log.ts'
import type { TrustProxy } from '../../api/http/transport.ts'
import { MOST_UNREAD, unreadAnswers } from '../../api/http/unread.ts'
import { readingApp } from '../../api/reading/app.ts'
import type { Definitions } from '../../domain/definition.ts'
import { judgedElsewhere, type Judged } from '../../identity/judged-elsewhere.ts'
import type { Credential } from '../../identity/principal.ts'
import { READ_MODEL_PROJECTIONS } from '../../projections/read-model-projections.ts'
import { board as boardIn } from '../readers/board.ts'
import { engineChanges } from '../readers/engine-changes.ts'

export interface ReaderData {
  readonly isLimited: boolean
  readonly port: number
  readonly host: string
  /** The objects that are served, and all that there are. */
  readonly definitions: Definitions
  readonly all: Definitions
  readonly headers: CommonHeaders
  readonly tls: CertificateFiles | undefined
  readonly trustProxy: TrustProxy | undefined
  readonly everyRequest: boolean
  /** Threads that share the room for what clients have not taken. */
  readonly threads: number
  readonly board: SharedArrayBuffer
  /** What the engine says, from so many messages on. */
  readonly changes: MessagePort
  readonly from: number
  readonly readModelPath: string
}

/** What this thread asks of the main thread. */
export interface AskedOfMain {
  judge(credential: Credential): Promise<Judged | undefined>
  reserve(counted: Counted): Promise<Reserved | undefined>
  giveBack(counted: Counted, count: number): void
  /** Method, route, status and seconds of requests, in turn. */
  answered(flat: readonly (string | number)[]): void
  log(level: keyof Log, fields: object, message: string): void
  /** A connection of a client hands its requests over by this. */
  connected(line: MessagePort, peer: Peer): void
}

/** What the main thread asks of this one. */
export interface AskedOfReader {
  /** Resolves once it listens. */
  listening(): Promise<void>
  /** Reports what it has answered. */
  count(): void
  renewCertificate(): void
  stop(): Promise<void>
}

/** How often it reports what it has answered, in ms. */
const REPORT_MS = 250

const data = workerData as ReaderData
const clock = { now: () => Date.now(), elapsed: () => performance.now() }
const board = boardIn(data.board)
const main = calls(parentPort!, { ...answering() })
const say = (level: keyof Log) => (fields: object, message: string) =>
  main.send('log', level, fields, message)
const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }

const changes = engineChanges({ ...data, board, port: data.changes })
const readModels = sqliteReadModels({
  path: data.readModelPath,
  definitions: data.all,
  engine: changes.engine,
  projections: READ_MODEL_PROJECTIONS,
})

const limits = data.isLimited
  ? reservations({
      ask: ({ actor, company }) => main.call('reserve', { actor, company }),
      giveBack: ({ actor, company }, count) => main.send('giveBack', { actor, company }, count),
      elapsed: clock.elapsed,
    })
  : undefined

let answered: (string | number)[] = []
const count = () => {
  if (answered.length > 0) main.send('answered', answered)
  answered = []
}
const reporting = setInterval(count, REPORT_MS)

const unread = unreadAnswers({ elapsed: clock.elapsed, most: MOST_UNREAD / data.threads })
const server = httpServer({ tls: data.tls, headers: data.headers.plain, log, portSetting: 'PORT' })
const app = readingApp({
  ...data,
  commonHeaders: data.headers,
  tls: data.tls !== undefined,
  log,
  clock,
  metrics: {
    answered: (method, route, status, seconds) => void answered.push(method, route, status, seconds),
  },
  readModels,
  isOpen: () => board.get('open') === 1,
  principalOf: judgedElsewhere({
    definitions: data.all,
    ask: (credential) => main.call('judge', credential),
    changes: () => board.get('identity'),
    elapsed: clock.elapsed,
  }),
  catchUp: changes.catchUp,
  handOver: handsOver({
    unread,
    connect({ remoteAddress, remotePort }) {
      const { port1, port2 } = new MessageChannel()
      main.give('connected', port2, { remoteAddress, remotePort, encrypted: data.tls !== undefined })
      return new Line(port1)
    },
  }),
  limits,
  unread,
})
const listening = server.listen({ app, port: data.port, host: data.host, shared: 'also' })
await listening

function answering(): AskedOfReader {
  return {
    // The main thread may ask before this is.
    listening: async () => listening,
    count: () => count(),
    renewCertificate: () => server.renewCertificate(),
    async stop() {
      await server.drain()
      clearInterval(reporting)
      count()
      limits?.close()
      await readModels.close()
      data.changes.close()
      setImmediate(() => parentPort!.close())
    },
  }
}
