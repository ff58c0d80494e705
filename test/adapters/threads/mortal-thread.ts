/** In the place of the webhooks thread: opens at once, and dies when it is asked how it stands. */
import { parentPort, threadId } from 'node:worker_threads'
import { calls } from '../../../src/adapters/threads/calls.ts'

calls(parentPort!, {
  opened: async () => {},
  // Which thread answers.
  status: async () => threadId,
  hints: () => process.exit(1),
  stop: async () => void setImmediate(() => parentPort!.close()),
})
