/** The main thread's end of the line to the engine thread. */
import type { Worker } from 'node:worker_threads'
import type { Position } from '../../../domain/events/event.ts'
import type { FromEngine, ToEngine } from './engine-messages.ts'

export interface EngineLink {
  /** Position of the last event when the engine was opened. */
  readonly head: Position
  /** The file that the read models are in now. */
  readonly readModelPath: string
  send(message: ToEngine): void
  /** A new listener gets the state of the projections at once. */
  listen(listener: (message: FromEngine) => void): void
  /** Lets the engine finish what it has been sent; resolves when it has ended. */
  close(): Promise<void>
}

/**
 * Waits until the engine thread has opened its files.
 * @throws Error with the engine's own words when it cannot
 */
export async function linkEngine(worker: Worker): Promise<EngineLink> {
  const listeners: ((message: FromEngine) => void)[] = []
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  let standing: FromEngine | undefined
  let readModelPath: string | undefined
  /** What was said before anyone listened. */
  let early: FromEngine[] = []
  const tell = (message: FromEngine) => {
    if (listeners.length === 0) early.push(message)
    if (message.kind === 'projected') standing = message
    else if (message.kind === 'switched') readModelPath = message.readModelPath
    listeners.forEach((listener) => listener(message))
  }

  const opened = await new Promise<Extract<FromEngine, { kind: 'open' }>>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the engine thread ended while it was opening')))
    worker.on('message', (message: FromEngine) => {
      if (message.kind === 'open') resolve(message)
      else if (message.kind === 'fatal' && listeners.length === 0) reject(new Error(message.message))
      else tell(message)
    })
  })
  worker.on('error', (error: Error) => tell({ kind: 'fatal', message: error.message }))

  let closed: Promise<void> | undefined
  return {
    head: opened.head,
    get readModelPath() {
      return readModelPath ?? opened.readModelPath
    },
    send: (message) => worker.postMessage(message),
    listen(listener) {
      listeners.push(listener)
      const missed = early
      early = []
      missed.forEach(listener)
      if (standing && !missed.includes(standing)) listener(standing)
    },
    close() {
      if (!closed) worker.postMessage({ kind: 'close' } satisfies ToEngine)
      return (closed ??= exited)
    },
  }
}
