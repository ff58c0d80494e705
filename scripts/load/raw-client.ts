/** Connections on which bytes are sent by hand: for clients that no HTTP library would be. */
import { execFileSync } from 'node:child_process'
import type { Socket } from 'node:net'
import { opened } from '../../bench/load/connection.ts'

const AT_ONCE = 100

/** So many connections, a hundred at a time: more would wait in the queue of the listening socket. `ready` is done to each. */
export async function openedMany(
  port: number,
  count: number,
  ready: (socket: Socket) => Promise<void> = async () => {},
): Promise<Socket[]> {
  const sockets: Socket[] = []
  const open = async () => {
    const socket = await opened(port)
    await ready(socket)
    return socket
  }
  while (sockets.length < count)
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, open))),
    )
  return sockets
}

/**
 * Each connection is an open file, of this process and of the service. Node raises its soft limit to the hard one.
 * @throws Error that says what is needed
 */
export function needOpenFiles(count: number): void {
  const limit = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim()
  if (limit === 'unlimited' || Number(limit) >= count) return
  throw new Error(
    `${count} open files are needed, ${limit} are allowed: raise the hard limit (ulimit -Hn ${count})`,
  )
}
