/**
 * An answer that comes before the request has been read to its end, and after which the connection is not used again.
 *
 * A socket that is closed while bytes of the client are still coming in is reset, and a client that is reset may lose the
 * answer that it has not read yet: it would learn nothing but that the connection broke. So the rest of the request is
 * read and thrown away for a while, until the client has closed its side.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Longer than this nobody is heard out who has been refused. */
const HEARD_OUT_MS = 2_000

/** The answer that this response is going to be is the connection's last. To be called before it is sent. */
export function answerLast({ socket }: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false
  // What Node's HTTP server closes the connection by, once the answer is out. It has the rest of the body thrown away.
  socket.destroySoon = () => {
    socket.end()
    const patience = setTimeout(() => socket.destroy(), HEARD_OUT_MS).unref()
    socket.once('close', () => clearTimeout(patience))
  }
}
