/** One connection to a server of this machine, on which bytes are sent as they are. */
import { connect, type Socket } from 'node:net'

/** @throws Error when the server cannot be reached */
export function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}
