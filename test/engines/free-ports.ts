/**
 * Ports of 127.0.0.1 that servers of tests may take: below those that systems give to outgoing connections and to servers that
 * leave the choice to them, so that none of these takes one between its choice and its use.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

const LOWEST = 12_000
const HIGHEST = 32_000

async function held(): Promise<{ port: number; listener: Server }> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST))
    const listener = createServer()
    try {
      listener.listen(port, '127.0.0.1')
      await once(listener, 'listening')
      return { port, listener }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

/** Held all at once, so that they differ; let go of before they are used. */
export async function freePorts(count: number): Promise<number[]> {
  const all: { port: number; listener: Server }[] = []
  while (all.length < count) all.push(await held())
  for (const { listener } of all) {
    listener.close()
    await once(listener, 'close')
  }
  return all.map(({ port }) => port)
}

export async function freePort(): Promise<number> {
  return (await freePorts(1))[0]!
}
