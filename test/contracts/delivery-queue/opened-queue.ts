/** The queue of a test of the contract: a new and empty one, open. */
import type { DeliveryQueue } from '../../../src/ports/delivery-queue.ts'
import { openQueue, type Adapter, type Place } from './other-process.ts'

export interface DeliveryQueueContract {
  readonly adapter: Adapter
  /** A place for a new and empty queue with this limit, that no other test uses. */
  readonly newPlace: (settings: { readonly deliveryLimit: number }) => Promise<Place>
}

export interface OpenedQueue {
  readonly adapter: Adapter
  readonly place: Place
  readonly queue: DeliveryQueue
  /** What it said is worth a line in the log. */
  readonly troubles: readonly string[]
  /** Opens the same queue once more. */
  open(): Promise<DeliveryQueue>
}

/** How often a delivery may fail in a row. */
export const LIMIT = 3

/** To be called where tests are described. */
export function openedQueue({ adapter, newPlace }: DeliveryQueueContract): OpenedQueue {
  let place: Place
  let queue: DeliveryQueue
  let opened: DeliveryQueue[]
  let troubles: string[]

  const open = async () => {
    const queue = await openQueue(adapter, place, (message) => troubles.push(message))
    opened.push(queue)
    return queue
  }

  beforeEach(async () => {
    opened = []
    troubles = []
    place = await newPlace({ deliveryLimit: LIMIT })
    queue = await open()
  })
  afterEach(async () => {
    await Promise.all(opened.map((queue) => queue.close()))
  })

  return {
    adapter,
    get place() {
      return place
    },
    get queue() {
      return queue
    },
    get troubles() {
      return troubles
    },
    open,
  }
}
