/** Notifies the thread of events, and when reads show them. */
import type { Position } from '../../domain/events/event.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { recordsShow } from '../../projections/records-show.ts'
import { VISIBLE_MS } from './answers.ts'
import type { LineToWebhooks } from './asked.ts'

/** The thread is notified of an event at once, and of those that follow within this time together. */
const TOLD_EVERY_MS = 50

/** Two messages for each burst, and no answers. */
export function notifyThread(
  link: () => LineToWebhooks | undefined,
  readModels: Pick<ReadModels, 'reached' | 'status'>,
) {
  let head: Position = 0
  let told: Position = 0
  let isShowing = false
  let resting: NodeJS.Timeout | undefined

  const show = async () => {
    isShowing = true
    for (let shown: Position = 0; shown < head;) {
      const wanted = head
      if (!(await recordsShow(readModels, wanted, VISIBLE_MS).catch(() => false))) break
      link()?.send('shown', (shown = wanted))
    }
    isShowing = false
  }
  const tell = () => {
    told = head
    resting = setTimeout(() => {
      resting = undefined
      if (told < head) tell()
    }, TOLD_EVERY_MS).unref()
    setImmediate(() => link()?.send('grown'))
    if (!isShowing) void show()
  }
  return {
    grown(position: Position) {
      if (!link()) return
      head = Math.max(head, position)
      if (!resting && told < head) tell()
    },
    stop: () => clearTimeout(resting),
  }
}
