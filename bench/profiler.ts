/**
 * Loaded into the service under test (`node --import`): on a message from the benchmark, each of its threads takes a
 * CPU profile and prints the functions that it spent its own time in.
 */
import { Session, type Profiler } from 'node:inspector'
import { isMainThread, threadId } from 'node:worker_threads'
import { relative } from 'node:path'

interface Order {
  readonly profile: 'start' | 'stop'
  readonly title: string
}

const SHOWN = 40
/** Threads that did less than this share of the time are not worth a list. */
const BUSY = 0.05
const IDLE = new Set(['(idle)', '(program)', '(root)'])

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.setSamplingInterval', { interval: 500 })

/** From the main thread, which the benchmark talks to, to the others. */
const channel = new BroadcastChannel('bench-profile')
channel.unref()
channel.onmessage = ({ data }: { data: unknown }) => obey(data as Order)

if (isMainThread) {
  process.on('message', (order: Order) => {
    channel.postMessage(order)
    obey(order)
    setTimeout(() => process.send!(order), order.profile === 'stop' ? 1_000 : 100)
  })
  process.channel?.unref()
}

function obey({ profile, title }: Order): void {
  if (profile === 'start') session.post('Profiler.start')
  else
    session.post('Profiler.stop', (error, result) => {
      if (!error) print(title, result.profile)
    })
}

function print(title: string, { nodes, timeDeltas = [], samples = [] }: Profiler.Profile): void {
  const names = namesOf(nodes)
  const times = new Map<string, number>()
  let total = 0
  samples.forEach((id, i) => {
    const name = names.get(id) ?? '?'
    if (name.includes('node:inspector')) return // taking the profile itself
    times.set(name, (times.get(name) ?? 0) + timeDeltas[i]!)
    total += timeDeltas[i]!
  })
  const idle = [...IDLE].reduce((sum, name) => sum + (times.get(name) ?? 0), 0)
  if ((total - idle) / total < BUSY) return
  const share = (time: number) => `${((time / total) * 100).toFixed(1).padStart(5)} %`
  const top = [...times].sort(([, a], [, b]) => b - a).slice(0, SHOWN)
  const lines = top.map(([name, time]) => `  ${share(time)}  ${name}`)
  console.error(
    `${title}: ${isMainThread ? 'main thread' : `thread ${threadId}`}, own time\n${lines.join('\n')}`,
  )
}

/** What has no file of its own is named with the first caller that has one: whose SQL it is matters. */
function namesOf(nodes: readonly Profiler.ProfileNode[]): ReadonlyMap<number, string> {
  const callers = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const ownerOf = (id: number): string => {
    for (let at = callers.get(id); at !== undefined; at = callers.get(at)) {
      const { callFrame } = byId.get(at)!
      if (callFrame.url.startsWith('file:')) return ` of ${nameOf(callFrame)}`
    }
    return ''
  }
  return new Map(
    nodes.map(({ id, callFrame }) => [id, nameOf(callFrame) + (callFrame.url === '' ? ownerOf(id) : '')]),
  )
}

function nameOf({
  functionName,
  url,
  lineNumber,
}: {
  functionName: string
  url: string
  lineNumber: number
}): string {
  const file = url.startsWith('file:') ? relative(process.cwd(), new URL(url).pathname) : url
  const name = functionName || '(anonymous)'
  return file ? `${name}  ${file}:${lineNumber + 1}` : name
}
