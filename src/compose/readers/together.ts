/** What the main thread shares with those that answer requests beside it. Where `WORKERS` is 1 it is alone, and shares nothing. */
import type { HttpServer } from '../../api/http/http-server.ts'
import type { CompanyLimits } from '../../api/http/limits/limited.ts'
import type { RateLimits } from '../../api/http/limits/rate-limits.ts'
import { reserves } from '../../api/http/limits/reservations.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../api/operations/metrics.ts'
import type { Config } from '../../config.ts'
import type { Definitions } from '../../domain/definition.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import { identityObjects } from '../../identity/objects.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Identity } from '../parts/identity.ts'
import type { Stores } from '../stores.ts'
import type { ReaderData } from '../threads/reader.ts'
import { board as newBoard, type Board } from './board.ts'
import { startReaders, type Readers } from './readers.ts'

export interface Together {
  /** Undefined: this thread is alone. */
  readonly board: Board | undefined
  /** How the main thread listens. */
  readonly shared: 'first' | undefined
  /** A record has changed. */
  readonly onChanged: ((key: string) => void) | undefined
  /** Resolves when all that the others have answered is counted. */
  counted(): Promise<void>
  readers: Readers | undefined
}

const decide: ReadonlySet<string | undefined> = new Set(identityObjects.map(({ object }) => object))

export function threadsTogether({ WORKERS }: Pick<Config, 'WORKERS'>): Together {
  const board = WORKERS > 1 ? newBoard() : undefined
  const together: Together = {
    board,
    shared: board && 'first',
    onChanged: board && ((key) => void (decide.has(objectOfKey(key)) && board.add('identity'))),
    counted: async () => together.readers?.counted(),
    readers: undefined,
  }
  return together
}

export interface ReadersOfOptions extends Pick<ReaderData, 'headers' | 'tls' | 'definitions' | 'all'> {
  readonly together: Together
  readonly config: Config
  readonly clock: Clock
  readonly stores: Pick<Stores, 'engine'>
  readonly identity: Pick<Identity, 'authenticate' | 'rolesNamed'>
  readonly definitions: Definitions
  readonly rateLimits: RateLimits | undefined
  readonly companyLimits: CompanyLimits
  readonly server: Pick<HttpServer, 'serve' | 'url' | 'drain'>
  readonly measured: Pick<Metrics, 'answered'>
  readonly log: Log
  readonly notReady: () => string | undefined
  readonly onFatal: (reason: string) => void
}

/** Starts them, where there are to be any; they end with the service. @throws Error when one cannot be started */
export async function readersOf(
  options: ReadersOfOptions,
  closing: AsyncDisposableStack,
): Promise<Readers | undefined> {
  const { together, config, clock, stores, identity, server, measured, definitions, all, headers, tls } =
    options
  const { rateLimits, companyLimits } = options
  const { board } = together
  if (!board || !stores.engine) return undefined
  const readers = await startReaders({
    ...options,
    ...identity,
    now: clock.now,
    data: {
      isLimited: rateLimits !== undefined || companyLimits.requests !== undefined,
      port: Number(/\d+$/.exec(server.url())),
      host: config.HOST,
      definitions,
      all,
      headers,
      tls,
      trustProxy: config.TRUST_PROXY,
      everyRequest: ['trace', 'debug'].includes(config.LOG_LEVEL),
    },
    count: config.WORKERS - 1,
    board,
    engine: stores.engine,
    reserves: reserves({ limits: rateLimits, requests: companyLimits.requests, threads: config.WORKERS }),
    server,
    metrics: measured,
  })
  together.readers = readers
  // The main thread takes no more connections from then on either; what is handed over it still answers.
  closing.defer(() => Promise.all([readers.stop(), server.drain()]).then(() => {}))
  return readers
}
