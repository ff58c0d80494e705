/** Receives the webhooks of the demo, in its own process. The first delivery it refuses, so that a second attempt is to be seen. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ApiClient } from './api-client.ts'

export interface Receiver {
  readonly url: string
  /** How many deliveries it took. */
  taken(): number
  close(): void
}

export async function receiver(): Promise<Receiver> {
  let asked = 0
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(asked++ === 0 ? 503 : 204).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    taken: () => Math.max(0, asked - 1),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Sends webhooks there: by the webhook of an earlier run, or a new one. */
export async function sendWebhooksTo(api: ApiClient, Url: string): Promise<void> {
  const { data } = await api.call<{ Id: string }[]>('GET', 'webhooks')
  const [webhook] = data
  if (webhook) await api.call('PATCH', `webhooks/${webhook.Id}`, { body: { Url } })
  else await api.call('POST', 'webhooks', { body: { Url, Events: ['contract.*', 'servicerequest.created'] } })
}
