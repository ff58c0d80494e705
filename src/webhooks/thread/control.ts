/** Webhooks as operators have them among the projections. */
import { Conflict } from '../../domain/errors.ts'
import type { Position } from '../../domain/events/event.ts'
import type { OutboxControl } from '../../ports/outbox.ts'
import type { ProjectionControl } from '../../ports/projection-control.ts'
import { WEBHOOKS_PROJECTION } from '../fill-outbox.ts'
import type { LineToWebhooks } from './asked.ts'

/** @param shared of the outbox of other processes, where there is one */
export function controlOf(
  link: () => LineToWebhooks | undefined,
  shared: () => Promise<OutboxControl | undefined>,
): ProjectionControl {
  const name = WEBHOOKS_PROJECTION
  let last: Position = 0
  return {
    async status() {
      const thread = link()
      if (!thread) {
        const shown = await (await shared())?.shown()
        return shown ? [{ name, ...shown }] : []
      }
      const failure = thread.failure()
      if (failure !== undefined)
        return [{ name, position: last, state: 'parked', error: { position: last, message: failure } }]
      const statuses = await thread.call('status')
      for (const { position } of statuses) last = position
      return statuses
    },
    rebuild: async () => {
      throw new Conflict('What was sent cannot be rebuilt. A webhook can replay the past instead.')
    },
    async resume() {
      const thread = link()
      if (thread) await thread.call('resume')
      else await (await shared())?.askToResume()
    },
  }
}
