/** What the API asks of deliveries, asked of this process's thread; where it has none, of the outbox that others share. */
import { Unavailable } from '../../domain/errors.ts'
import type { DeliveryLog, Resending } from '../../ports/delivery-log.ts'
import type { LineToWebhooks } from './asked.ts'

export interface DeliveriesOptions {
  readonly link: () => LineToWebhooks | undefined
  readonly knowsHealth: () => boolean
  /** The outbox of other processes; undefined: there is none. */
  readonly shared: () => Promise<DeliveryLog & Resending> | undefined
  readonly publish: (hint: { readonly endpoint: string; readonly company: string }) => Promise<void>
}

export function deliveriesOf({
  link,
  knowsHealth,
  shared,
  publish,
}: DeliveriesOptions): DeliveryLog & Resending {
  const there = async (): Promise<DeliveryLog & Resending> => {
    const thread = link()
    if (thread) return overLine(thread)
    const outbox = await shared()
    if (!outbox) throw new Unavailable('Webhooks are not running in this process.')
    return outbox
  }
  return {
    reached: async (position, timeoutMs) => (await there()).reached(position, timeoutMs),
    health: async (company, endpoints) => (knowsHealth() ? (await there()).health(company, endpoints) : []),
    list: async (company, endpoint, query) => (await there()).list(company, endpoint, query),
    get: async (company, endpoint, id) => (await there()).get(company, endpoint, id),
    replayed: async (company, endpoint, id) => (await there()).replayed(company, endpoint, id),
    async add(message, delivery) {
      await (await there()).add(message, delivery)
      if (!link()) await publish({ endpoint: delivery.endpoint, company: delivery.company }).catch(() => {})
    },
    replay: async (replay) => (await there()).replay(replay),
  }
}

function overLine(link: LineToWebhooks): DeliveryLog & Resending {
  return {
    reached: (position, timeoutMs) => link.call('reached', position, timeoutMs),
    health: (company, endpoints) => link.call('health', company, endpoints),
    list: (company, endpoint, query) => link.call('list', company, endpoint, query),
    get: (company, endpoint, id) => link.call('get', company, endpoint, id),
    replayed: (company, endpoint, id) => link.call('replayed', company, endpoint, id),
    add: (message, delivery) => link.call('add', message, delivery),
    replay: (replay) => link.call('replay', replay),
  }
}
