/** Requests that are not HTTP, or whose headers are too long or too slow: refused in the Error wrapper like all others. */
import type { Socket } from 'node:net'
import { headerLines } from './common-headers.ts'

const STATUSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers of the request are too long.',
  HPE_INVALID_URL:
    'The path or the query is not valid: letters beyond ASCII, spaces and quotes must be percent-encoded (ë is %C3%AB).',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
}

/** For `server.on('clientError', …)`; `headers` are those of every answer. */
export function refuseMalformed(headers: readonly string[]) {
  const lines = headerLines(headers)
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
    const { code = '' } = error
    const message = MESSAGES[code] ?? 'The request is not valid HTTP.'
    const body = JSON.stringify({
      Success: false,
      Error: { Code: 'VALIDATION_ERROR', Message: message, Details: [] },
    })
    socket.end(
      `HTTP/1.1 ${STATUSES[code] ?? '400 Bad Request'}\r\n${lines}` +
        `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  }
}
