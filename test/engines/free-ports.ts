/** Ports of 127.0.0.1 that servers of tests may take. */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** Held all at once, so that they differ; let go of before they are used. */
export async function freePorts(count: number): Promise<number[]> {
  const listeners = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  const ports: number[] = []
  for (const listener of listeners) {
    if (!listener.listening) await once(listener, 'listening')
    ports.push((listener.address() as AddressInfo).port)
  }
  for (const listener of listeners) {
    listener.close()
    await once(listener, 'close')
  }
  return ports
}

export async function freePort(): Promise<number> {
  return (await freePorts(1))[0]!
}
