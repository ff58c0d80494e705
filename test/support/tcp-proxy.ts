/** A way between client and server on loopback that can go dead, as when a firewall forgets a connection. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  readonly port: number
  /** From now on the connections that exist carry nothing, and nobody is told. New ones work. */
  swallow(): void
  stop(): Promise<void>
}

/** @param port where to pass connections on to */
export async function tcpProxy({ port }: { readonly port: number }): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  const listener = createServer({ noDelay: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true })
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [one, other] of [pair, [far, near] as const]) {
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => pairs.delete(pair))
    }
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    swallow: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far)
        far.unpipe(near)
        near.resume()
        far.resume()
      }
    },
    stop: async () => {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
}
