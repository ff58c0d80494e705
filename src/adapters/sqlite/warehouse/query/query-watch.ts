/** Ends the process when the question at hand takes too long or too much memory: nothing else can. */
import { workerData } from 'node:worker_threads'

const watched = workerData as Float64Array
const LOOK_MS = 20

setInterval(() => {
  const [deadline = 0, memory = 0] = watched
  if (deadline === 0) return
  if (Date.now() > deadline || process.memoryUsage.rss() > memory) process.kill(process.pid, 'SIGKILL')
}, LOOK_MS)
