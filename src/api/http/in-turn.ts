/**
 * Requests that a client sends before it has the answers to those before (pipelining, RFC 9112, 9.3.2) are begun one after
 * the other, each when the answer before has left: a client that reads none is answered once, not as often as it asks.
 *
 * How many wait on a connection is bound by what Node reads of it at once, 64 KiB.
 */
import type { RequestListener } from 'node:http'

export function inTurn(listener: RequestListener): RequestListener {
  return (request, response) => {
    // The first to come has the connection already.
    if (response.socket) listener(request, response)
    else response.once('socket', () => listener(request, response))
  }
}
