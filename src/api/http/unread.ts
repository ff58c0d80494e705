/**
 * Connections that hold what their clients have not taken yet. One that has taken nothing for a minute is ended, and
 * sooner where all of them hold more than there is room for: a client that does not read takes no memory for long.
 *
 * Node's own limit for sockets does not serve: it looks once in the time, so that a connection lasts up to twice as long.
 */
import type { Socket } from 'node:net'
import type { Express, Response } from 'express'

export interface UnreadAnswers {
  /** Looks at a connection until it has taken all that was written to it. */
  watch(socket: Socket): void
  /** For how long a connection has taken nothing though there is something for it, in ms; 0 when it takes all. */
  stalledMs(socket: Socket): number
  /** Ends those that are to be ended. Done by itself every second while there is something to look at. */
  look(): void
}

export interface UnreadOptions {
  /** Monotonic, in ms. */
  readonly elapsed: () => number
  /** Bytes that all connections together may hold, beyond those that are being taken. */
  readonly most: number
}

/** A client that takes nothing for so long has gone, though its connection has not. */
const STALLED_MS = 60_000
/** Where there is no room, it counts as gone already now. */
const STALLED_WITHOUT_ROOM_MS = 5_000
const LOOK_MS = 1_000

interface Watched {
  /** Another one with every byte that the connection takes, and only then. */
  taken: number
  /** When it took something last. */
  since: number
}

export function unreadAnswers({ elapsed, most }: UnreadOptions): UnreadAnswers {
  const watched = new Map<Socket, Watched>()
  let timer: NodeJS.Timeout | undefined

  const look = () => {
    const now = elapsed()
    let held = 0
    for (const [socket, state] of watched) {
      const taken = takenBy(socket)
      if (taken !== state.taken) Object.assign(state, { taken, since: now })
      if (socket.destroyed || socket.writableLength === 0) watched.delete(socket)
      else if (now - state.since >= STALLED_MS) socket.destroy()
      else held += socket.writableLength
    }
    if (held > most) makeRoom(held, now)
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  const makeRoom = (held: number, now: number) => {
    const longestFirst = [...watched].sort(([, one], [, other]) => one.since - other.since)
    for (const [socket, { since }] of longestFirst) {
      if (held <= most || now - since < STALLED_WITHOUT_ROOM_MS) return
      held -= socket.writableLength
      socket.destroy()
    }
  }

  return {
    watch(socket) {
      if (watched.has(socket)) return
      watched.set(socket, { taken: takenBy(socket), since: elapsed() })
      timer ??= setInterval(look, LOOK_MS).unref()
    },
    stalledMs(socket) {
      const state = watched.get(socket)
      return !state || socket.writableLength === 0 || takenBy(socket) !== state.taken
        ? 0
        : elapsed() - state.since
    },
    look,
  }
}

/**
 * What was written and is not waiting any more. Of a piece that is under way only the handle knows how much of it is
 * left; without it, a piece counts when all of it was taken.
 */
export function takenBy(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } }
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0)
}

/** Bytes, of all clients of a process. */
export const MOST_UNREAD = 128 * 1_048_576
declare module 'express-serve-static-core' {
  interface Locals {
    unread?: UnreadAnswers
  }
}

/** Those of the app that answers. */
export function unreadOf({ app }: Pick<Response, 'app'>): UnreadAnswers {
  return (app.locals.unread ??= unreadAnswers({
    elapsed: () => performance.now(),
    most: MOST_UNREAD,
  }))
}

/** For an app whose time is not the process's. */
export function lookAfterUnread(app: Express, unread: UnreadAnswers): void {
  app.locals.unread = unread
}
