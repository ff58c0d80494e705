/**
 * Another process at the same queue, which can be killed as a crash would.
 *
 * Run as a program it opens the queue that its argument describes and does one of two things: it enqueues deliveries, or
 * it takes some and never finishes them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { DeliveryQueue, Enqueued } from '../../../src/ports/delivery-queue.ts'

/** An adapter, by what another process can be told. */
export interface Adapter {
  /** URL of the module. */
  readonly module: string
  /** Its function that opens a queue. */
  readonly opens: string
}

/** One queue: what its adapter is given to open it. */
export type Place = Readonly<Record<string, unknown>>

type Task = { readonly enqueue: readonly Enqueued[] } | { readonly hold: number }

interface Assignment {
  readonly adapter: Adapter
  readonly place: Place
  readonly task: Task
}

export async function openQueue(
  { module, opens }: Adapter,
  place: Place,
  onTrouble: (message: string, error: unknown) => void,
): Promise<DeliveryQueue> {
  const { [opens]: open } = (await import(module)) as Record<string, (options: object) => DeliveryQueue>
  if (!open) throw new Error(`${module} does not export ${opens}`)
  return open({ ...place, onTrouble })
}

export interface OtherProcess {
  /** Ids of the deliveries that it says it has enqueued, or been handed. */
  readonly ids: readonly string[]
  kill(): Promise<void>
}

/** Resolves when the process has enqueued everything, or holds as many deliveries as it is to hold. */
export async function otherProcess(assignment: Assignment): Promise<OtherProcess> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(assignment)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const { task } = assignment
  const expected = 'hold' in task ? task.hold : task.enqueue.length
  const ids: string[] = []
  for await (const id of createInterface(child.stdout)) {
    ids.push(id)
    if (ids.length === expected) break
  }
  if (ids.length < expected) throw new Error(`the other process ended after ${ids.length} of ${expected}`)
  return {
    ids,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function work({ adapter, place, task }: Assignment): Promise<void> {
  const queue = await openQueue(adapter, place, console.error)
  if ('enqueue' in task) {
    await queue.enqueue(task.enqueue)
    for (const { id } of task.enqueue) console.log(id)
    setInterval(() => {}, 60_000) // waits for its end with everything still open
  } else {
    queue.consume({
      concurrency: task.hold,
      handle: ({ id }) => {
        console.log(id)
        return new Promise(() => {})
      },
      abandoned: () => new Promise(() => {}),
    })
  }
}

if (import.meta.main) await work(JSON.parse(process.argv[2]!) as Assignment)
