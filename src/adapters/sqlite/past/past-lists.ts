/** The main thread's end of the line to the thread that answers as-of lists. */
import type { Worker } from 'node:worker_threads'
import { Invalid, NotYet, Unavailable, type Fault } from '../../../domain/errors.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import type { PastLists } from '../../../ports/past-lists.ts'
import type { ListQuery, Page } from '../../../ports/read-models.ts'
import { filterTooLong } from '../read-models/queries/reader-pool.ts'

export type ToPast =
  | {
      readonly kind: 'list'
      readonly id: number
      readonly company: Company
      readonly query: ListQuery
      readonly position: Position
    }
  | { readonly kind: 'close' }

export type FromPast = { readonly id: number } & (
  | { readonly page: Page }
  | { readonly invalid: string; readonly faults: readonly Fault[] }
  | { readonly late: number }
  | { readonly unavailable: string }
  | { readonly error: string }
)

export interface PastListsOptions {
  /** Starts the thread; `compose/threads/past.ts`. */
  readonly start: () => Worker
  /** How long a question waits for what was then to be put together. */
  readonly waitMs?: number
  /** Questions that may be open at a time, those whose askers wait no longer included. */
  readonly most?: number
}

interface Open {
  readonly resolve: (page: Page) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

const STILL = 'the records as of that moment are still being put together'

function noRoom(reason: string): Unavailable {
  return new Unavailable(`As-of lists cannot be read now: ${reason}.`)
}

export function sqlitePastLists({ start, waitMs = 10_000, most = 50 }: PastListsOptions): PastLists {
  const open = new Map<number, Open>()
  let worker: Worker | undefined
  let exited: Promise<unknown> = Promise.resolve()
  let closed = false
  let next = 0

  const settle = (id: number): Open | undefined => {
    const entry = open.get(id)
    clearTimeout(entry?.timer)
    open.delete(id)
    return entry
  }
  const failAll = (error: Error) => [...open.keys()].forEach((id) => settle(id)?.reject(error))

  const running = (): Worker => {
    if (worker) return worker
    const started = start()
    started.on('message', (answer: FromPast) => {
      const entry = settle(answer.id)
      if (!entry) return
      if ('page' in answer) entry.resolve(answer.page)
      else if ('late' in answer) entry.reject(filterTooLong(answer.late))
      else if ('invalid' in answer) entry.reject(new Invalid(answer.invalid, answer.faults))
      else if ('unavailable' in answer) entry.reject(noRoom(answer.unavailable))
      else entry.reject(new Error(answer.error))
    })
    exited = new Promise((resolve) => started.once('exit', resolve))
    // What it was doing is lost; the next question starts another.
    const ended = (error: Error) => {
      if (worker !== started) return // its questions have been answered; those that are open are of the next
      worker = undefined
      failAll(error)
    }
    // It has no room for its scratch files, say.
    started.once('error', (error) => ended(noRoom((error as Error).message)))
    started.once('exit', () => ended(new Unavailable('the thread of as-of lists has ended')))
    started.unref()
    return (worker = started)
  }

  return {
    list: (company, query, position) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Unavailable('as-of lists are closed'))
        if (open.size >= most) return reject(new NotYet(STILL))
        const id = ++next
        // Goes on being answered, so that the next who asks finds it done; it still counts as open.
        const timer = setTimeout(() => {
          reject(new NotYet(STILL))
        }, waitMs)
        open.set(id, { resolve, reject, timer })
        running().postMessage({ kind: 'list', id, company, query, position } satisfies ToPast)
      }),
    async close() {
      closed = true
      failAll(new Unavailable('as-of lists are closing'))
      if (!worker) return
      worker.postMessage({ kind: 'close' } satisfies ToPast)
      const late = setTimeout(() => void worker?.terminate(), 1_000)
      await exited
      clearTimeout(late)
    },
  }
}
