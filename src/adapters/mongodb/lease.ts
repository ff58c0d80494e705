/**
 * The lease by which one process at a time writes the projections.
 *
 * It is a document that its holder keeps changing. Who watches it and sees no change for the time of the lease may take
 * it, with the next term; clocks of different machines are never compared. The term fences: positions are moved only in
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
export function seekLease({ leases, ready, id, holder, leaseMs, onTaken, onTrouble }: LeaseOptions): Lease {
  const stop = new AbortController()
  let own: { readonly term: number; readonly until: number } | undefined
  let seen: { readonly term: number; readonly beat: number; readonly since: number } | undefined
  const waiting = new Set<(term: number | undefined) => void>()

  const term = () => (own && performance.now() < own.until ? own.term : undefined)

  const tell = (term: number | undefined) => {
    for (const resolve of waiting) resolve(term)
    waiting.clear()
  }

  /** The holder stops a third earlier than others may take over. */
  const keep = (term: number, asked: number) => (own = { term, until: asked + (leaseMs * 2) / 3 })

  const renew = async (term: number) => {
    const asked = performance.now()
    const { matchedCount } = await leases.updateOne({ _id: id, term }, { $inc: { beat: 1 } })
    if (matchedCount === 1) keep(term, asked)
    else own = undefined
  }

  const take = async () => {
    await ready()
    const asked = performance.now()
    const lease = await leases.findOne({ _id: id })
    if (!lease) {
      await leases.insertOne({ _id: id, term: 1, beat: 0, held: true, holder })
      keep(1, asked)
      return
    }
    if (seen?.term !== lease.term || seen.beat !== lease.beat)
      seen = { term: lease.term, beat: lease.beat, since: asked }
    if (lease.held && lease.holder !== holder && asked - seen.since < leaseMs) return
    const next = lease.term + 1
    const { matchedCount } = await leases.updateOne(
      { _id: id, term: lease.term, beat: lease.beat },
      { $set: { term: next, beat: 0, held: true, holder } },
    )
    if (matchedCount === 1) keep(next, asked)
  }

  const run = async () => {
    while (!stop.signal.aborted) {
      try {
        if (own) await renew(own.term)
        else {
          await take()
          if (own) onTaken()
        }
      } catch (error) {
        if (!isDuplicate(error)) onTrouble('the lease of the projections cannot be kept or taken', error)
        if (term() === undefined) own = undefined
      }
      const held = term()
      if (held !== undefined) tell(held)
      await delay(leaseMs / 6, undefined, { signal: stop.signal, ref: false }).catch(() => {})
    }
  }
  const running = run()

  return {
    term,
    held(timeoutMs) {
      const now = term()
      if (now !== undefined) return Promise.resolve(now)
      if (stop.signal.aborted) return Promise.reject(closed())
      return new Promise((resolve, reject) => {
        const settle = (term: number | undefined) => {
          clearTimeout(timer)
          waiting.delete(settle)
          if (term !== undefined) resolve(term)
          else
            reject(stop.signal.aborted ? closed() : new Unavailable('another process writes the projections'))
        }
        const timer = timeoutMs === undefined ? undefined : setTimeout(() => settle(undefined), timeoutMs)
        waiting.add(settle)
      })
    },
    async close() {
      stop.abort()
      tell(undefined)
      await running
      const last = own
      own = undefined
      if (!last) return
      try {
        await leases.updateOne({ _id: id, term: last.term }, { $set: { held: false } })
      } catch (error) {
        onTrouble('the lease of the projections could not be given back; it lapses by itself', error)
      }
    },
  }
}

function closed(): Unavailable {
  return new Unavailable('the projection store is closed')
}
