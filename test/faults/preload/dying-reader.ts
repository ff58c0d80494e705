/**
 * Loaded into the service from outside (`NODE_OPTIONS=--import=…`), in every thread: one that answers requests beside the main
 * one dies as soon as the file `DYING_READER` is there, which it removes.
 */
import { unlinkSync } from 'node:fs'
import { isMainThread, workerData } from 'node:worker_threads'

if (!isMainThread && workerData !== null && typeof workerData === 'object' && 'board' in workerData)
  setInterval(() => {
    try {
      unlinkSync(process.env['DYING_READER']!)
    } catch {
      return
    }
    throw new Error('this thread was to die')
  }, 10)
