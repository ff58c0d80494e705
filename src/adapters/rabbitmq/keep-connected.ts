/**
 * A connection that comes back: makes one, sets it up, and when it is lost makes the next, after a pause that grows with
 * each failure. What a caller builds on a connection (its channels, its topology) is a session; sessions come and go.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable, messageOf } from '../../domain/errors.ts'
import { openConnection, type Connection } from './connection.ts'
import { backOff, within } from './within.ts'

export interface Link<S> {
  /** The session that works now, if any. */
  current(): S | undefined
  /** The last attempt to connect has failed, or the connection was lost, and there is no other yet. */
  isAway(): boolean
  /** Resolves with a session. @throws Unavailable, with the reason, after `ms` or when it is closed */
  wait(ms: number): Promise<S>
  close(): Promise<void>
}

export interface LinkOptions<S> {
  readonly url: string
  readonly name: string
  readonly timeoutMs: number
  /** Declares what the session needs and opens its channels; the session is lost with the connection. */
  readonly setUp: (connection: Connection) => Promise<S>
  readonly onTrouble: (message: string, error: unknown) => void
}

/** A connection that lasted this long was a good one: the next pause is short again. */
const STEADY_MS = 5_000
/** Declaring the queues on a cluster that is just starting. */
const SET_UP_MS = 30_000

interface Waiting<S> {
  readonly resolve: (session: S) => void
  readonly reject: (error: Error) => void
}

export function keepConnected<S>({ url, name, timeoutMs, setUp, onTrouble }: LinkOptions<S>): Link<S> {
  const closing = new AbortController()
  const waiting = new Set<Waiting<S>>()
  const pauses = backOff()
  let connection: Connection | undefined
  let session: S | undefined
  let reason = 'it has not been reached yet'
  let wasSetUp = false
  let isAway = false

  const begin = (next: S) => {
    session = next
    isAway = false
    wasSetUp = true
    for (const waiter of waiting) waiter.resolve(next)
    waiting.clear()
  }

  const refuseAll = (why: string) => {
    for (const waiter of waiting) waiter.reject(new Unavailable(why))
    waiting.clear()
  }

  const onBlocked = (why: string) => onTrouble(`RabbitMQ takes no messages for now (${why})`, undefined)

  /** One connection, from beginning to end. */
  const live = async (): Promise<Error> => {
    connection = await openConnection({ url, name, timeoutMs, giveUp: closing.signal, onBlocked })
    try {
      if (closing.signal.aborted) return new Error('closed')
      // The first of the two: a connection lost while it is being set up need not be waited for.
      const lostEarly = connection.lost.then((error) => Promise.reject(error))
      begin(await within(SET_UP_MS, 'setting up', Promise.race([setUp(connection), lostEarly])))
      return await connection.lost
    } finally {
      session = undefined
      isAway = true
      connection.cut('it could not be set up')
    }
  }

  const run = async () => {
    while (!closing.signal.aborted) {
      const since = performance.now()
      const error = await live().catch((error: unknown) => error)
      isAway = true
      if (closing.signal.aborted) return
      // The same reason is reported once.
      if (messageOf(error) !== reason || wasSetUp)
        onTrouble(`there is no connection to RabbitMQ (${name}); it is tried again`, error)
      reason = messageOf(error)
      refuseAll(`RabbitMQ cannot be reached: ${reason}`)
      wasSetUp = false
      if (performance.now() - since > STEADY_MS) pauses.reset()
      await sleep(pauses.next(), undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  const running = run()

  return {
    current: () => session,
    isAway: () => isAway,
    wait(ms) {
      if (closing.signal.aborted) return Promise.reject(new Unavailable('the connection is closed'))
      if (session !== undefined) return Promise.resolve(session)
      return new Promise((resolve, reject) => {
        const waiter: Waiting<S> = {
          resolve: (session) => (clearTimeout(timer), resolve(session)),
          reject: (error) => (clearTimeout(timer), reject(error)),
        }
        const timer = setTimeout(() => {
          waiting.delete(waiter)
          reject(new Unavailable(`RabbitMQ cannot be reached: ${reason}`))
        }, ms)
        waiting.add(waiter)
      })
    },
    async close() {
      closing.abort()
      refuseAll('the connection is closed')
      await connection?.close()
      await running
    },
  }
}
