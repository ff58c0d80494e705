/**
 * Timers of a service that is one process: the webhooks thread keeps their file, so that no commit and no checkpoint of it holds up
 * the thread that answers.
 */
import { Unavailable } from '../../domain/errors.ts'
import type { Timers } from '../../ports/timers.ts'

/** What the main thread asks of the thread that keeps them. */
export interface AskedOfTimers {
  timerPosition: Timers['position']
  lastOfTimers: Timers['last']
  storeTimers: Timers['store']
  dueTimers: Timers['due']
  recordsWithTimers: Timers['records']
}

/** The line to that thread. @throws Unavailable while it is away */
export interface LineToTimers {
  call<Name extends keyof AskedOfTimers>(
    name: Name,
    ...values: Parameters<AskedOfTimers[Name]>
  ): Promise<Awaited<ReturnType<AskedOfTimers[Name]>>>
}

/** In the thread: opened when they are first asked for. */
export function keepTimers(openTimers: () => Timers): {
  readonly answers: AskedOfTimers
  close(): Promise<void>
} {
  let opened: Timers | undefined
  const open = () => (opened ??= openTimers())
  return {
    answers: {
      timerPosition: async (rule) => open().position(rule),
      lastOfTimers: async () => open().last(),
      storeTimers: async (...changes) => open().store(...changes),
      dueTimers: async (until, limit) => open().due(until, limit),
      recordsWithTimers: async (company, query) => open().records(company, query),
    },
    close: async () => opened?.close(),
  }
}

/** In the main thread. Each call throws Unavailable while the thread is away. */
export function timersOf(thread: () => LineToTimers | undefined): Timers {
  const there = () => {
    const link = thread()
    if (!link) throw new Unavailable('the thread that keeps the timers does not run')
    return link
  }
  return {
    position: async (rule) => there().call('timerPosition', rule),
    last: async () => there().call('lastOfTimers'),
    store: async (...changes) => there().call('storeTimers', ...changes),
    due: async (until, limit) => there().call('dueTimers', until, limit),
    records: async (company, query) => there().call('recordsWithTimers', company, query),
    // The thread closes its file when it ends.
    close: async () => {},
  }
}
