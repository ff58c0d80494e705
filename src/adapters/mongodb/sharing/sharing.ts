/**
 * A process that takes its part in writing a generation: it shows that it lives, sees who else does, and is given shards by
 * the process that holds the lease.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Collection } from 'mongodb'
import { Unavailable } from '../../../domain/errors.ts'
import type { CheckpointDocument, GivenShare, MemberDocument } from '../bookkeeping.ts'

export interface Sharing {
  /** Who else lives, by name. */
  others(): readonly string[]
  /** What this process was given, as far as it knows. */
  share(): GivenShare | undefined
  /** Resolves with what this process is given; rejects with Unavailable when it is closed or `timeoutMs` pass. */
  given(timeoutMs?: number): Promise<GivenShare>
  /** It is known to be taken back. */
  lost(id: string): void
  /** Takes no part for so long: others do its work. */
  leave(ms: number): Promise<void>
  close(): Promise<void>
}

export interface SharingOptions {
  readonly members: Collection<MemberDocument>
  readonly positions: Collection<CheckpointDocument>
  readonly generation: string
  readonly holder: string
  readonly ready: () => Promise<void>
  /** Who shows no sign of life for so long is taken for dead. */
  readonly leaseMs: number
  /** Called after each look. */
  readonly onLook: () => void
  readonly onTrouble: (message: string, error: unknown) => void
}

export function takePart(options: SharingOptions): Sharing {
  return new TakenPart(options)
}

class TakenPart implements Sharing {
  readonly #options: SharingOptions
  readonly #stop = new AbortController()
  readonly #waiting = new Set<(share: GivenShare | undefined) => void>()
  readonly #seen = new Map<string, { readonly beat: number; readonly since: number }>()
  readonly #running: Promise<void>
  #others: readonly string[] = []
  #share: GivenShare | undefined
  #lost: string | undefined
  #awayUntil = 0

  constructor(options: SharingOptions) {
    this.#options = options
    this.#running = this.#run()
  }

  others(): readonly string[] {
    return this.#others
  }

  share(): GivenShare | undefined {
    return this.#share
  }

  given(timeoutMs?: number): Promise<GivenShare> {
    if (this.#share) return Promise.resolve(this.#share)
    const { signal } = this.#stop
    if (signal.aborted) return Promise.reject(new Unavailable('the projection store is closed'))
    return new Promise((resolve, reject) => {
      const settle = (share: GivenShare | undefined) => {
        clearTimeout(timer)
        this.#waiting.delete(settle)
        if (share) resolve(share)
        else reject(new Unavailable('this process was not given a part of the projections yet'))
      }
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => settle(undefined), timeoutMs)
      this.#waiting.add(settle)
    })
  }

  lost(id: string): void {
    this.#lost = id
    if (this.#share?.id === id) this.#share = undefined
  }

  async leave(ms: number): Promise<void> {
    this.#awayUntil = performance.now() + ms
    if (this.#share) this.lost(this.#share.id)
    await this.#options.members.deleteOne({ _id: this.#options.holder })
  }

  async close(): Promise<void> {
    this.#stop.abort()
    for (const settle of this.#waiting) settle(undefined)
    await this.#running
    // Forgotten when it shows no sign of life.
    await this.#options.members.deleteOne({ _id: this.#options.holder }).catch(() => {})
  }

  async #run(): Promise<void> {
    const { leaseMs, onTrouble } = this.#options
    const { signal } = this.#stop
    let isAway = false
    while (!signal.aborted) {
      try {
        await this.#look()
        isAway = false
      } catch (error) {
        if (!isAway) onTrouble('the work of the projections cannot be divided for now', error)
        isAway = true
      }
      await delay(leaseMs / 12, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async #look(): Promise<void> {
    const { members, positions, generation, holder, ready, onLook } = this.#options
    await ready()
    const asked = performance.now()
    if (asked >= this.#awayUntil)
      await members.updateOne({ _id: holder }, { $set: { generation }, $inc: { beat: 1 } }, { upsert: true })
    const all = await members.find({ generation }).toArray()
    this.#others = all.filter((one) => one._id !== holder && this.#isAlive(one, asked)).map(({ _id }) => _id)
    const { given = [] } = (await positions.findOne({ _id: generation })) ?? {}
    const share = given.find((one) => one.holder === holder && one.id !== this.#lost)
    this.#share = asked >= this.#awayUntil ? share : undefined
    if (this.#share) for (const settle of this.#waiting) settle(this.#share)
    onLook()
  }

  #isAlive({ _id, beat }: MemberDocument, now: number): boolean {
    const seen = this.#seen.get(_id)
    if (seen?.beat !== beat) this.#seen.set(_id, { beat, since: now })
    return seen?.beat !== beat || now - seen.since < this.#options.leaseMs
  }
}
