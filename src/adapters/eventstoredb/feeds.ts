/**
 * Followers that are at the same place share one subscription of the server: it sends, and this process decodes, each event
 * once for all of them.
 *
 * A feed is a subscription with its last batches. A follower that needs more than those takes the next batch from the
 * server, for all: so the fastest sets the pace. A follower that falls behind the batches that are kept goes on with a feed
 * of its own, until that has caught up.
 */
import type { Position } from '../../domain/events/event.ts'
import type { EventBatch } from '../../ports/event-store.ts'

/** What a feed keeps for followers that are slower than the fastest, in batches. */
const KEPT = 4

type Subscribe = (after: Position) => AsyncIterable<EventBatch, undefined>

/** @param open starts a subscription of the server */
export function feeds(open: Subscribe): Subscribe {
  const all = new Set<Feed>()
  const place = (position: Position, isFirst: boolean): Feed => {
    // The oldest first, so that feeds that meet become one. The first batch of a follower is one that the server sends after
    // it asked: a follower that tries an event again must not be handed what was read before.
    for (const feed of all) if (isFirst ? feed.endsAt(position) : feed.covers(position)) return feed
    const feed = new Feed(open(position)[Symbol.asyncIterator](), position, () => all.delete(feed))
    all.add(feed)
    return feed
  }
  return (after) => ({ [Symbol.asyncIterator]: () => new Follower(place, after) })
}

class Feed {
  readonly #subscription: AsyncIterator<EventBatch, undefined>
  readonly #over: () => void
  readonly #followers = new Set<Follower>()
  #kept: EventBatch[] = []
  /** The kept batches hold what is after the first position, up to the second. */
  #from: Position
  #to: Position
  #taking: Promise<boolean> | undefined
  #isOver = false

  constructor(subscription: AsyncIterator<EventBatch, undefined>, after: Position, over: () => void) {
    this.#subscription = subscription
    this.#from = this.#to = after
    this.#over = over
  }

  covers(position: Position): boolean {
    return !this.#isOver && position >= this.#from && position <= this.#to
  }

  /** Whether the next batch of the subscription is the one after the position. */
  endsAt(position: Position): boolean {
    return !this.#isOver && position === this.#to
  }

  join(follower: Follower): void {
    this.#followers.add(follower)
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower)
    if (this.#followers.size > 0) return
    this.#end()
    void this.#subscription.return?.()
  }

  /** Resolves when there is more after the position, with false at the end. */
  async grown(position: Position): Promise<boolean> {
    return position < this.#to || (await (this.#taking ??= this.#take()))
  }

  /** The next batch after a position that is covered; undefined where there is none yet. */
  after(position: Position): EventBatch | undefined {
    const batch = this.#kept.find((one) => one.position > position)
    const first = batch?.events[0]
    if (!batch || !first || first.position > position) return batch
    // Only for a follower that comes from another feed.
    return { ...batch, events: batch.events.filter((event) => event.position > position) }
  }

  async #take(): Promise<boolean> {
    try {
      const { value: batch } = await this.#subscription.next()
      if (!batch) {
        this.#end()
        return false
      }
      this.#kept.push(batch)
      this.#to = batch.position
      while (this.#kept.length > KEPT) this.#from = this.#kept.shift()!.position
      return true
    } catch (error) {
      this.#end()
      throw error
    } finally {
      this.#taking = undefined
    }
  }

  #end(): void {
    this.#isOver = true
    this.#kept = []
    this.#over()
  }
}

class Follower implements AsyncIterator<EventBatch, undefined> {
  readonly #place: (position: Position, isFirst: boolean) => Feed
  #feed: Feed | undefined
  #reached: Position
  #left = false
  #hasBegun = false
  /** Ends the wait of `next`. */
  #wake = () => {}

  constructor(place: (position: Position, isFirst: boolean) => Feed, after: Position) {
    this.#place = place
    this.#reached = after
  }

  async next(): Promise<IteratorResult<EventBatch, undefined>> {
    while (!this.#left) {
      const feed = this.#move()
      const batch = feed.after(this.#reached)
      if (batch) {
        this.#reached = batch.position
        this.#hasBegun = true
        return { value: batch, done: false }
      }
      if (!(await this.#unlessLeft(feed.grown(this.#reached)))) break
    }
    this.#leave()
    return { value: undefined, done: true }
  }

  async return(): Promise<IteratorResult<EventBatch, undefined>> {
    this.#left = true
    this.#wake()
    this.#leave()
    return { value: undefined, done: true }
  }

  #move(): Feed {
    // Until its first batch it stays where it is: others may take that batch first.
    if (!this.#hasBegun && this.#feed) return this.#feed
    const feed = this.#place(this.#reached, !this.#hasBegun)
    if (feed !== this.#feed) {
      feed.join(this)
      this.#feed?.leave(this)
      this.#feed = feed
    }
    return feed
  }

  #leave(): void {
    this.#feed?.leave(this)
    this.#feed = undefined
  }

  #unlessLeft(work: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(false)
      work.then(resolve, reject)
    })
  }
}
