/** HTTP as bytes on a socket: for requests that no decent client would send. */
import { connect, type Socket } from 'node:net'
import { answerOf, TOKEN, type Answer } from '../../support/service.ts'

/** The head of a request that is fine so far: a request line, Host, token, and further lines. */
export function head(requestLine: string, ...lines: readonly string[]): string {
  return [requestLine, 'Host: localhost', `Authorization: Bearer ${TOKEN}`, ...lines, '', ''].join('\r\n')
}

/** No answer takes this long; it only ends a wait that would be for ever. */
const LONGEST_MS = 10_000

export interface RawConnection {
  write(bytes: string | Uint8Array): void
  /** The next answer; undefined when the connection ended without one. */
  answer(): Promise<Answer | undefined>
  /** Breaks it off, as a client does that is gone. */
  destroy(): Promise<void>
}

/** A connection that sends what it is told; `deaf`: and never reads. */
export async function rawConnection(url: string, { deaf = false } = {}): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect(Number(port), hostname)
  let received = Buffer.alloc(0)
  let ended = false
  let wake = () => {}
  if (!deaf)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      wake()
    })
  socket.on('error', () => wake()) // a broken connection is an answer like any other here
  socket.on('close', () => {
    ended = true
    wake()
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })

  const takeAnswer = (): Answer | undefined => {
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd < 0) return undefined
    const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n')
    const headers = new Headers(
      lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const length = Number(headers.get('Content-Length') ?? 0)
    const bodyEnd = headEnd + 4 + length
    if (received.length < bodyEnd) return undefined
    const text = received.subarray(headEnd + 4, bodyEnd).toString('utf8')
    received = received.subarray(bodyEnd)
    return answerOf(Number(statusLine.split(' ')[1]), headers, text)
  }

  return {
    write: (bytes) => void socket.write(bytes),
    async answer() {
      const timer = setTimeout(() => socket.destroy(new Error('no answer')), LONGEST_MS)
      try {
        for (;;) {
          const answer = takeAnswer()
          if (answer || ended) return answer
          await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        clearTimeout(timer)
      }
    },
    destroy: () =>
      new Promise((resolve) => {
        if (ended) return resolve()
        socket.once('close', () => resolve())
        socket.destroy()
      }),
  }
}

/** Sends the bytes on a connection of their own and reads one answer. */
export async function rawRequest(url: string, bytes: string | Uint8Array): Promise<Answer | undefined> {
  const connection = await rawConnection(url)
  connection.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  const answer = await connection.answer()
  await connection.destroy()
  return answer
}
