/**
 * Reads HTTP/1.1 responses from one connection, one request under way at a time. Only what the servers under test
 * send: bodies with a Content-Length, and answers without a body. Anything else is an error, not a guess.
 */

export interface Response {
  readonly status: number
  /** The header lines, or with `keepBodies` the whole answer. */
  readonly text: () => string
}

export interface ResponseReader {
  /** Takes what has come in; calls back when the answer is complete. */
  push(chunk: Buffer): void
}

export interface ResponseReaderOptions {
  /** Keeps bodies too; those of answers that are not 2xx are always kept. */
  readonly keepBodies: boolean
  readonly onResponse: (response: Response) => void
}

const HEADER_END = '\r\n\r\n'
const EMPTY = Buffer.alloc(0)

/** `push` throws Error when what came in is no such answer. */
export function responseReader({ keepBodies, onResponse }: ResponseReaderOptions): ResponseReader {
  let before: Buffer = EMPTY
  let kept: Buffer[] = []
  let status = 0
  let missing = -1 // bytes of the body still to come; -1: the header is not complete

  const begin = (chunk: Buffer): void => {
    const bytes = before.length > 0 ? Buffer.concat([before, chunk]) : chunk
    const end = bytes.indexOf(HEADER_END)
    before = end < 0 ? bytes : EMPTY
    if (end < 0) return
    const size = end + HEADER_END.length
    status = (bytes[9]! - 48) * 100 + (bytes[10]! - 48) * 10 + (bytes[11]! - 48)
    missing = size + lengthOf(bytes, end, status) - bytes.length
    kept = [keepBodies || status > 299 ? bytes : bytes.subarray(0, size)]
  }

  return {
    push(chunk) {
      if (missing < 0) begin(chunk)
      else {
        missing -= chunk.length
        if (keepBodies || status > 299) kept.push(chunk)
      }
      if (missing < 0 && kept.length > 0) throw new Error('the server sent more than it announced')
      if (missing !== 0) return
      const [parts, answered] = [kept, status]
      kept = []
      missing = -1
      onResponse({ status: answered, text: () => Buffer.concat(parts).toString('utf8') })
    },
  }
}

function lengthOf(bytes: Buffer, end: number, status: number): number {
  if (status === 204 || status === 304) return 0
  // Node's servers write the name as their code does; lowercase is what others do.
  let at = bytes.indexOf('Content-Length: ')
  if (at < 0 || at > end) at = bytes.indexOf('content-length: ')
  if (at < 0 || at > end) throw new Error('an answer without Content-Length')
  let length = 0
  for (let i = at + 16; bytes[i]! >= 48 && bytes[i]! <= 57; i++) length = length * 10 + bytes[i]! - 48
  return length
}
