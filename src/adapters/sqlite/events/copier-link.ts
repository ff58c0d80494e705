/** The main thread's end of the line to the thread that copies the events of a server. */
import type { Worker } from 'node:worker_threads'
import type { Position } from '../../../domain/events/event.ts'
import { journalBehind } from '../../../ports/journal.ts'
import { positionWaiters } from '../../../domain/events/position-waiters.ts'

export type FromCopier =
  | { readonly kind: 'open' }
  | { readonly kind: 'copied'; readonly position: Position }
  /** Events up to the position have come in: the versions that they brought streams to. */
  | {
      readonly kind: 'told'
      readonly position: Position
      readonly streams: readonly string[]
      readonly versions: readonly number[]
    }
  /** The server cannot be followed for now; it is tried again. */
  | { readonly kind: 'trouble'; readonly detail: string }

export interface CopierLink {
  /** True once the listener has had everything up to the position; false after `timeoutMs`. */
  told(position: Position, timeoutMs: number): Promise<boolean>
  /** The one listener: a stream has come to this version. */
  listen(listener: (stream: string, version: number) => void): void
  /**
   * Waits until everything up to the position is copied.
   * @throws NotYet when that takes longer than 5 s
   */
  reached(position: Position): Promise<void>
  close(): Promise<void>
}

const WAIT_MS = 5_000

/** Waits until the thread has opened its file. `onTrouble`: what is worth a line in the log. */
export async function linkCopier(
  worker: Worker,
  onTrouble: (message: string, detail: string) => void,
): Promise<CopierLink> {
  const waiters = positionWaiters()
  const tellings = positionWaiters()
  let tell = (_stream: string, _version: number) => {}
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.on('message', (message: FromCopier) => {
      if (message.kind === 'open') resolve()
      else if (message.kind === 'copied') waiters.reached(message.position)
      else if (message.kind === 'told') {
        message.streams.forEach((stream, i) => tell(stream, message.versions[i]!))
        tellings.reached(message.position)
      } else onTrouble('events cannot be copied for the journal for now', message.detail)
    })
  })
  worker.on('error', (error: Error) =>
    onTrouble('events are not copied for the journal any more', error.message),
  )
  return {
    told: tellings.wait,
    listen: (listener) => void (tell = listener),
    async reached(position) {
      if (!(await waiters.wait(position, WAIT_MS))) throw journalBehind()
    },
    async close() {
      waiters.close()
      tellings.close()
      worker.postMessage('close')
      const late = setTimeout(() => void worker.terminate(), 2_000)
      await exited
      clearTimeout(late)
    },
  }
}
