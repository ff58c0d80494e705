/**
 * Sends requests as fast as a server answers them: a number of connections, each with one request under way.
 *
 * All connections take the next request from one list, again and again, so that no two requests in a row are the same.
 */
import type { Socket } from 'node:net'
import { opened } from './connection.ts'
import { latencyHistogram } from './histogram.ts'
import { responseReader, type Response } from './response-reader.ts'

export interface LoadPlan {
  readonly port: number
  /** Whole requests as they go over the wire. */
  readonly requests: readonly string[]
  readonly connections: number
  /** How long answers are counted, and for how long before that they are not. */
  readonly seconds: number
  readonly warmupSeconds: number
  /** Every request is sent once, however long that takes; nothing is warmed up. */
  readonly once: boolean
  /** Answers without this header line are counted apart, as `without`. */
  readonly expectHeader?: string
  /** Answers with this header line are counted apart, as `with`. */
  readonly watchHeader?: string
  /** Hands back the answers, header and body. Only for few requests. */
  readonly keepAnswers: boolean
}

export interface LoadResult {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly answered: number
  /** From the first request to the last answer, ms; and when the first was sent, as a time of the day. */
  readonly elapsed: number
  readonly startedAt: number
  /** Answers that are not 2xx, and connections that broke. */
  readonly errors: number
  readonly examples: readonly string[]
  readonly without: number
  readonly with: number
  readonly answers: readonly string[]
}

const EXAMPLES = 3

export async function generateLoad(plan: LoadPlan): Promise<LoadResult> {
  const requests = plan.requests.map((request) => Buffer.from(request))
  const sockets = await Promise.all(Array.from({ length: plan.connections }, () => opened(plan.port)))
  const latencies = latencyHistogram()
  const answers: string[] = []
  const examples: string[] = []
  let next = 0
  let errors = 0
  let without = 0
  let withHeader = 0

  const start = performance.now()
  const countFrom = plan.once ? start : start + plan.warmupSeconds * 1_000
  const end = plan.once ? Number.POSITIVE_INFINITY : countFrom + plan.seconds * 1_000
  let last = start

  const failed = (text: string) => {
    errors++
    if (examples.length < EXAMPLES) examples.push(text.slice(0, 1_000))
  }

  const drive = (socket: Socket) =>
    new Promise<void>((resolve) => {
      let sent = 0
      const send = () => {
        sent = performance.now()
        if (sent >= end || (plan.once && next >= requests.length)) return resolve()
        socket.write(requests[next++ % requests.length]!)
      }
      const answered = (response: Response) => {
        const now = performance.now()
        if (now >= countFrom && now <= end) {
          latencies.record(now - sent)
          last = now
        }
        if (response.status > 299) failed(response.text())
        else if (plan.expectHeader && !response.text().includes(`\r\n${plan.expectHeader}`)) without++
        if (plan.watchHeader && response.text().includes(`\r\n${plan.watchHeader}`)) withHeader++
        if (plan.keepAnswers) answers.push(response.text())
        send()
      }
      const reader = responseReader({ keepBodies: plan.keepAnswers, onResponse: answered })
      const broken = (text: string) => {
        failed(text)
        socket.destroy()
        resolve()
      }
      socket.on('data', (chunk: Buffer) => {
        try {
          reader.push(chunk)
        } catch (error) {
          broken(String(error))
        }
      })
      socket.once('error', (error) => broken(String(error)))
      socket.once('end', () => broken('the server closed a connection'))
      send()
    })

  await Promise.all(sockets.map(drive))
  for (const socket of sockets) socket.removeAllListeners().destroy()
  const counted = plan.once ? last - start : plan.seconds * 1_000
  return {
    perSecond: (latencies.count / counted) * 1_000,
    p50: latencies.percentile(0.5),
    p99: latencies.percentile(0.99),
    answered: latencies.count,
    elapsed: last - start,
    startedAt: performance.timeOrigin + start,
    errors,
    examples,
    without,
    with: withHeader,
    answers,
  }
}
