/**
 * The service of a test: started in this process on a free port with a folder of its own, and a client that speaks HTTP
 * to it as any other client would.
 *
 * An answer is read by what it ought to be (`data`, `list`, `error`): when it is something else, the test ends there and
 * shows what came instead.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startService, type Service } from '../../src/compose/start-service.ts'
import { readConfig } from '../../src/config.ts'
import type { Fault } from '../../src/domain/errors.ts'
import { nameOfStream } from '../../src/domain/events/stream-name.ts'
import { splitReason } from '../../src/domain/events/written-text.ts'
import type { Fields } from '../../src/domain/json.ts'
import type { Clock } from '../../src/ports/clock.ts'

export const TOKEN = 'some-token-0123456789'
/** Of the administrator. */
export const [EMAIL, PASSWORD] = ['admin@example.com', 'a password for tests']

export interface Pagination {
  readonly Page: number
  readonly PageSize: number
  readonly TotalRecords: number
  readonly TotalPages: number
}

export interface ErrorBody {
  readonly Code: string
  readonly Message: string
  readonly Details: readonly Fault[]
}

/** Data of an answer: a record, mostly, and then it has an Id. */
export type Data = Fields & { readonly Id: string }

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The body as it came. */
  readonly text: string
  readonly json: Fields
  /** Data of the Success wrapper. */
  readonly data: Data
  /** Data of the Success wrapper of a list or a batch. */
  readonly list: readonly Data[]
  readonly pagination: Pagination
  /** Error of the Error wrapper. */
  readonly error: ErrorBody
  /** `Field: Message` of each of the error's Details. */
  readonly faults: readonly string[]
}

export type HeaderValues = Readonly<Record<string, string>>

export interface Sent {
  /** JSON, unless it is text or bytes, which go as they are. */
  readonly body?: unknown
  readonly headers?: HeaderValues
}

/** Paths that begin with `/` count from the root, others from `/api/v1/`. */
export interface Client {
  send(method: string, path: string, sent?: Sent): Promise<Answer>
  get(path: string, headers?: HeaderValues): Promise<Answer>
  /** A list with these query parameters. */
  list(object: string, parameters?: HeaderValues, headers?: HeaderValues): Promise<Answer>
  post(path: string, body?: unknown, headers?: HeaderValues): Promise<Answer>
  put(path: string, body?: unknown, headers?: HeaderValues): Promise<Answer>
  patch(path: string, body?: unknown, headers?: HeaderValues): Promise<Answer>
  delete(path: string, headers?: HeaderValues): Promise<Answer>
  /** Creates a record, which must succeed. */
  create(object: string, body: Fields): Promise<Data>
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: object
}

export interface TestService extends Client {
  /** Without a slash at the end; another one after a restart. */
  readonly url: string
  /** Of the notification service. */
  readonly notificationUrl: string
  readonly dataDir: string
  /** What the service has logged, of level warn and above. */
  readonly logged: readonly LogLine[]
  /** The events of a stream, oldest first, as they are in the event file. */
  eventsOf(stream: string): readonly StoredEvent[]
  /** Names of all streams of the event file. */
  streams(): readonly string[]
  /** Changes the event file of a stopped service. */
  inEventFile(sql: string): void
  stop(): Promise<void>
  /** Starts again on the same folder; with other settings, if given. Stops first where that was not done. */
  restart(settings?: HeaderValues): Promise<void>
  /** Stops and removes the folder. */
  discard(): Promise<void>
}

export interface StoredEvent {
  readonly type: string
  readonly reason?: string
  readonly data: Fields
  readonly metadata: Fields
}

export interface TestServiceOptions {
  /** Beside those that make it a test's: a free port, a fresh folder, a known token, no rate limit. */
  readonly settings?: HeaderValues
  readonly clock?: Clock
  /** What requests carry; else that of the first company. */
  readonly token?: string
  readonly matchAgainMs?: number
}

/** Longer than any test: it says itself when lines are matched. */
const MATCH_AGAIN_MS = 3_600_000

const realClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }

export async function testService({
  settings: given = {},
  clock = realClock,
  token = TOKEN,
  matchAgainMs = MATCH_AGAIN_MS,
}: TestServiceOptions = {}): Promise<TestService> {
  const dataDir = newFolder()
  const logged: LogLine[] = []
  const note = (level: LogLine['level']) => (fields: object, message: string) =>
    void logged.push({ level, message, fields })
  let settings = given
  let running: Service | undefined

  const start = async () => {
    const fixed = {
      DATA_DIR: dataDir,
      PORT: '0',
      BOOTSTRAP_TOKEN: TOKEN,
      BOOTSTRAP_PASSWORD: PASSWORD,
      RATE_LIMIT_PER_MINUTE: '0',
      WORKERS: process.env['WORKERS'] ?? '1',
    }
    running = await startService(readConfig({ ...fixed, ...settings }), {
      log: { debug: () => {}, info: () => {}, warn: note('warn'), error: note('error') },
      clock,
      matchAgainMs,
      onFatal: (reason) => {
        throw new Error(`the service has to stop: ${reason}`)
      },
    })
  }
  const stop = async () => {
    await running?.stop()
    running = undefined
  }

  const fromEventFile = (sql: string, ...parameters: string[]) => {
    const db = new DatabaseSync(join(dataDir, 'events.db'), { readOnly: true })
    try {
      return db.prepare(sql).all(...parameters)
    } finally {
      db.close()
    }
  }
  const parsed = (text: unknown) => JSON.parse(String(text)) as Fields

  await start()
  let url = running!.url
  return {
    ...client(() => url, token),
    get url() {
      return url
    },
    get notificationUrl() {
      return running?.notificationUrl ?? ''
    },
    dataDir,
    logged,
    eventsOf: (stream) =>
      fromEventFile(
        'SELECT type, data, metadata FROM events WHERE substr(stream, 4) = ? ORDER BY version',
        stream,
      ).map(
        ({ type, data, metadata }) =>
          ({ type, ...splitReason(parsed(data)), metadata: parsed(metadata) }) as StoredEvent,
      ),
    streams: () =>
      fromEventFile('SELECT DISTINCT stream FROM events').map(
        ({ stream }) => nameOfStream(String(stream)) ?? String(stream),
      ),
    inEventFile(sql) {
      const db = new DatabaseSync(join(dataDir, 'events.db'))
      db.exec(sql)
      db.close()
    },
    stop,
    async restart(changed) {
      await stop()
      settings = changed ?? settings
      await start()
      url = running!.url
    },
    async discard() {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A fresh folder for a test; whoever asks removes it. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'daybook-test-'))
}

/** A client of the service at `url`. Every request carries the token, unless its headers say otherwise. */
export function client(url: () => string, token = TOKEN): Client {
  const send: Client['send'] = async (method, path, { body, headers = {} } = {}) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(`${url()}${path.startsWith('/') ? '' : '/api/v1/'}${path}`, {
      method,
      headers: {
        ...(headers['Authorization'] === undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        body: raw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body),
      }),
      redirect: 'manual', // it is an answer, too
    })
    return answerOf(response.status, response.headers, await response.text())
  }
  return {
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    list: (object, parameters = {}, headers = {}) =>
      send('GET', `${object}?${new URLSearchParams(parameters).toString()}`, { headers }),
    post: (path, body, headers = {}) => send('POST', path, { body, headers }),
    put: (path, body, headers = {}) => send('PUT', path, { body, headers }),
    patch: (path, body, headers = {}) => send('PATCH', path, { body, headers }),
    delete: (path, headers = {}) => send('DELETE', path, { headers }),
    async create(object, body) {
      const answer = await send('POST', object, { body })
      if (answer.status !== 201) throw new Error(`${object} was not created: ${shown(answer)}`)
      return answer.data
    },
  }
}

/** An answer from its parts: for those who speak HTTP by other means than this client. */
export function answerOf(status: number, headers: Headers, text: string): Answer {
  const member = <T>(name: string, isThere: (value: unknown) => boolean): T => {
    const value = (JSON.parse(text) as Fields)[name]
    if (!isThere(value)) throw new Error(`there is no ${name} in ${shown({ status, text })}`)
    return value as T
  }
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  return {
    status,
    headers,
    text,
    get json() {
      return JSON.parse(text) as Fields
    },
    get data() {
      return member<Data>('Data', isObject)
    },
    get list() {
      return member<readonly Data[]>('Data', Array.isArray)
    },
    get pagination() {
      return member<Pagination>('Pagination', isObject)
    },
    get error() {
      return member<ErrorBody>('Error', isObject)
    },
    get faults() {
      return member<ErrorBody>('Error', isObject).Details.map(({ Field, Message }) => `${Field}: ${Message}`)
    },
  }
}

function shown({ status, text }: { readonly status: number; readonly text: string }): string {
  return `${status} ${text.slice(0, 1_000)}`
}

/** The text that a record has in a field; the test ends here when it has none. */
export function textOf(record: Fields | undefined, field: string): string {
  const value = record?.[field]
  if (typeof value !== 'string') throw new Error(`${field} is no text in ${JSON.stringify(record)}`)
  return value
}
