/**
 * The lease by which one process at a time writes the projections.
 *
 * It is a document that its holder keeps changing. A process that watches it and sees no change for the time of the lease
 * may take it, with the next term; clocks of different machines are never compared. The term fences: positions are moved only in
 * the holder's own term, so a holder that was asleep and does not know that it lost the lease cannot move them.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Collection } from 'mongodb'
import { Unavailable } from '../../domain/errors.ts'
import type { LeaseDocument } from './bookkeeping.ts'
import { isDuplicate } from './domain-errors.ts'

export interface Lease {
  /** The term in which this process holds the lease; undefined when it does not, or cannot be sure any more. */
  term(): number | undefined
  /** Resolves with the term once this process holds the lease; rejects with Unavailable when it is closed or `timeoutMs` pass. */
  held(timeoutMs?: number): Promise<number>
  /** Lets go of the lease, so that another process need not wait for it to lapse. */
  close(): Promise<void>
}

export interface LeaseOptions {
  readonly leases: Collection<LeaseDocument>
  /** Awaited before the lease is looked at. */
  readonly ready: () => Promise<void>
  readonly id: string
  /** Nobody else's: a holder that lost sight of the server takes its own lease back without waiting for it to lapse. */
  readonly holder: string
  /** After this long without a sign of life the lease may be taken. */
  readonly leaseMs: number
  /** Called whenever this process has come to hold the lease. */
  readonly onTaken: () => void
  readonly onTrouble: (message: string, error: unknown) => void
}

/** What a lease lasts where nothing else is asked for. */
export const LEASE_MS = 6_000

/** A holder's name that no other has, and that shows operators where to look. */
export function newHolder(): string {
  return `${hostname()} ${process.pid} ${randomUUID()}`
}

/** Starts to seek the lease, and keeps it once it is held. */
export function seekLease(options: LeaseOptions): Lease {
  return new SoughtLease(options)
}

class SoughtLease implements Lease {
  readonly #options: LeaseOptions
  readonly #stop = new AbortController()
  readonly #waiting = new Set<(term: number | undefined) => void>()
  readonly #running: Promise<void>
  #own: { readonly term: number; readonly until: number } | undefined
  #seen: { readonly term: number; readonly beat: number; readonly since: number } | undefined

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#running = this.#run()
  }

  term(): number | undefined {
    const own = this.#own
    return own && performance.now() < own.until ? own.term : undefined
  }

  held(timeoutMs?: number): Promise<number> {
    const now = this.term()
    if (now !== undefined) return Promise.resolve(now)
    const { signal } = this.#stop
    if (signal.aborted) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      const settle = (term: number | undefined) => {
        clearTimeout(timer)
        this.#waiting.delete(settle)
        if (term !== undefined) resolve(term)
        else reject(signal.aborted ? closed() : new Unavailable('another process writes the projections'))
      }
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => settle(undefined), timeoutMs)
      this.#waiting.add(settle)
    })
  }

  async close(): Promise<void> {
    const { leases, id: _id, onTrouble } = this.#options
    this.#stop.abort()
    this.#settleWaiting(undefined)
    await this.#running
    const last = this.#own
    this.#own = undefined
    if (!last) return
    try {
      await leases.updateOne({ _id, term: last.term }, { $set: { held: false } })
    } catch (error) {
      onTrouble('the lease of the projections could not be given back; it lapses by itself', error)
    }
  }

  async #run(): Promise<void> {
    const { leaseMs, onTaken, onTrouble } = this.#options
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        if (this.#own) await this.#renew(this.#own.term)
        else {
          await this.#take()
          if (this.#own) onTaken()
        }
      } catch (error) {
        if (!isDuplicate(error)) onTrouble('the lease of the projections cannot be kept or taken', error)
        if (this.term() === undefined) this.#own = undefined
      }
      const held = this.term()
      if (held !== undefined) this.#settleWaiting(held)
      await delay(leaseMs / 6, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async #renew(term: number): Promise<void> {
    const { leases, id: _id } = this.#options
    const asked = performance.now()
    const { matchedCount } = await leases.updateOne({ _id, term }, { $inc: { beat: 1 } })
    if (matchedCount === 1) this.#keep(term, asked)
    else this.#own = undefined
  }

  async #take(): Promise<void> {
    const { leases, ready, id: _id, holder, leaseMs } = this.#options
    await ready()
    const asked = performance.now()
    const lease = await leases.findOne({ _id })
    if (!lease) {
      await leases.insertOne({ _id, term: 1, beat: 0, held: true, holder })
      this.#keep(1, asked)
      return
    }
    if (this.#seen?.term !== lease.term || this.#seen.beat !== lease.beat)
      this.#seen = { term: lease.term, beat: lease.beat, since: asked }
    if (lease.held && lease.holder !== holder && asked - this.#seen.since < leaseMs) return
    const next = lease.term + 1
    const { matchedCount } = await leases.updateOne(
      { _id, term: lease.term, beat: lease.beat },
      { $set: { term: next, beat: 0, held: true, holder } },
    )
    if (matchedCount === 1) this.#keep(next, asked)
  }

  /** The holder stops a third earlier than others may take over. */
  #keep(term: number, asked: number): void {
    this.#own = { term, until: asked + (this.#options.leaseMs * 2) / 3 }
  }

  #settleWaiting(term: number | undefined): void {
    for (const settle of this.#waiting) settle(term)
    this.#waiting.clear()
  }
}

function closed(): Unavailable {
  return new Unavailable('the projection store is closed')
}
