/** The main thread's end of the line to the warehouse thread. */
import type { Worker } from 'node:worker_threads'
import { Unavailable } from '../../../domain/errors.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import { positionWaiters } from '../../../domain/events/position-waiters.ts'
import type { FromWarehouse, ToWarehouse } from './messages.ts'

export interface WarehouseLink {
  /** The newest that the thread has reported. */
  catalogue(): Catalogue
  /** The events have grown. Passed on for many of them together, and at once when someone waits. */
  grown(): void
  /** Resolves when the company's file is there. @throws Unavailable when it cannot be made */
  ensure(company: Company): Promise<void>
  /** True once everything up to `position` is in the warehouse; false after `timeoutMs`. */
  reached(position: Position, timeoutMs: number): Promise<boolean>
  status(): readonly ProjectionStatus[]
  /** Rebuilds everything beside what is there, which is served until the new one takes its place. */
  rebuild(): void
  /** A parked warehouse tries its event again. */
  resume(): void
  close(): Promise<void>
}

export interface LinkOptions {
  readonly worker: Worker
  readonly onTrouble: (message: string, detail: string) => void
  readonly onFatal: (reason: string) => void
}

/** The thread wakes up only so often while events pour in: many in one transaction cost it a fraction. */
const GROWN_MS = 250

/**
 * Waits until the thread has opened its files.
 * @throws Error with its own words when it cannot
 */
export async function linkWarehouse({ worker, onTrouble, onFatal }: LinkOptions): Promise<WarehouseLink> {
  const waiters = positionWaiters()
  const requests = new Map<number, { resolve: () => void; reject: (error: Error) => void }>()
  let statuses: readonly ProjectionStatus[] = []
  let timer: NodeJS.Timeout | undefined
  let last = 0
  let isClosing = false
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const say = (message: ToWarehouse) => worker.postMessage(message)

  const hear = (message: FromWarehouse) => {
    if (message.kind === 'projected') {
      statuses = message.statuses
      waiters.reached(Math.min(...statuses.map(({ position }) => position)))
    } else if (message.kind === 'done') {
      const request = requests.get(message.request)
      requests.delete(message.request)
      if (message.error === undefined) request?.resolve()
      else request?.reject(new Unavailable(message.error))
    } else if (message.kind === 'trouble') onTrouble(message.message, message.detail)
    else if (message.kind === 'fatal') onFatal(message.message)
  }
  let catalogue: Catalogue | undefined
  const first = await new Promise<Catalogue>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the warehouse thread ended while it was opening')))
    worker.on('message', (message: FromWarehouse) => {
      if (message.kind === 'open') resolve((catalogue = message.catalogue))
      else hear(message)
    })
  })
  // Reads and writes of records go on without it.
  worker.on('error', (error: Error) => onTrouble('the warehouse thread has failed', error.message))
  worker.on('exit', () => {
    for (const { reject } of requests.values()) reject(new Unavailable('the warehouse is closed'))
    requests.clear()
    if (isClosing) return
    statuses = statuses.map((status) => ({
      ...status,
      state: 'parked',
      error: { position: status.position, message: 'its thread has ended; it goes on after a restart' },
    }))
  })

  const tellGrown = () => {
    clearTimeout(timer)
    timer = undefined
    say({ kind: 'grown' })
  }

  const ask = (message: (request: number) => ToWarehouse): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = ++last
      requests.set(request, { resolve, reject })
      say(message(request))
    })

  return {
    catalogue: () => catalogue ?? first,
    grown() {
      timer ??= setTimeout(tellGrown, GROWN_MS).unref()
    },
    ensure: (company) => ask((request) => ({ kind: 'ensure', request, company })),
    reached(position, timeoutMs) {
      if (timer) tellGrown()
      return waiters.wait(position, timeoutMs)
    },
    status: () => statuses,
    rebuild: () => say({ kind: 'rebuild' }),
    resume: () => say({ kind: 'resume' }),
    async close() {
      isClosing = true
      clearTimeout(timer)
      waiters.close()
      say({ kind: 'close' })
      await exited
    },
  }
}
