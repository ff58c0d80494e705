/** A way between client and server on loopback that can go dead, break, or become slow. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  readonly port: number
  /** From now on the connections that exist carry nothing, and nobody is told. New ones work. */
  swallow(): void
  /** Nor do new ones, which are accepted all the same. */
  swallowAll(): void
  /** Breaks the connections that exist, and new ones as soon as they are made: the server is gone. */
  cut(): void
  /** Everything arrives so much later, in both directions. */
  delay(ms: number): void
  /** Connections work from now on, without delay; those that carry nothing stay as they are. */
  heal(): void
  stop(): Promise<void>
}

interface Pair {
  readonly sockets: readonly [Socket, Socket]
  swallows: boolean
}

/** @param port where to pass connections on to */
export async function tcpProxy({ port }: { readonly port: number }): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let mode: 'open' | 'swallows' | 'cut' = 'open'
  let delayMs = 0

  /** Passes on what comes, in its order, also when the delay changes. */
  const pass = (pair: Pair, from: Socket, to: Socket) => {
    let due = 0
    let under = 0
    const later = (act: () => void) => {
      if (pair.swallows) return
      const now = performance.now()
      due = Math.max(due, now + delayMs)
      if (under === 0 && delayMs === 0) return act()
      under++
      setTimeout(
        () => {
          under--
          if (!pair.swallows && !to.destroyed) act()
        },
        Math.ceil(due - now),
      )
    }
    from.on('data', (chunk) => later(() => to.write(chunk)))
    from.on('end', () => later(() => to.end()))
    from.on('error', () => to.destroy())
    from.on('close', () => {
      later(() => to.destroy())
      pairs.delete(pair)
    })
  }

  const listener = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    if (mode === 'cut') return near.resetAndDestroy()
    const far = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    const pair: Pair = { sockets: [near, far], swallows: mode === 'swallows' }
    pairs.add(pair)
    pass(pair, near, far)
    pass(pair, far, near)
  })
  const breakAll = () => {
    for (const { sockets } of pairs) for (const socket of sockets) socket.destroy()
  }
  const swallow = () => {
    for (const pair of pairs) pair.swallows = true
  }
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    swallow,
    swallowAll() {
      mode = 'swallows'
      swallow()
    },
    cut() {
      mode = 'cut'
      breakAll()
    },
    delay(ms) {
      delayMs = ms
    },
    heal() {
      mode = 'open'
      delayMs = 0
    },
    async stop() {
      breakAll()
      listener.close()
      await once(listener, 'close')
    },
  }
}
