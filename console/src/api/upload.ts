/** Sends a file and says how far it is, which `fetch` does not. */
import { refusalOf, urlOf, type Query } from './request.ts'
import { forgetWrite, isAnswered, keyOfWrite } from './unanswered.ts'

export interface Upload {
  readonly path: string
  readonly query: Query
  readonly file: File
  /** From 0 to 1. */
  readonly onProgress: (part: number) => void
  readonly signal: AbortSignal
}

/** @throws ApiError; TypeError when the service cannot be reached; AbortError */
export function upload<T>({ path, query, file, onProgress, signal }: Upload): Promise<T> {
  const url = urlOf(path, query)
  const write = JSON.stringify(['POST', url, file.name, file.size, file.lastModified])
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest()
    sending.open('POST', url)
    sending.setRequestHeader('Accept', 'application/json')
    sending.setRequestHeader('Content-Type', file.type || 'application/octet-stream')
    sending.setRequestHeader('Idempotency-Key', keyOfWrite(write))
    sending.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total ? loaded / total : 0))
    sending.addEventListener('load', () => {
      const { status, responseText } = sending
      if (isAnswered(status)) forgetWrite(write)
      if (status < 400) resolve((JSON.parse(responseText) as { readonly Data: T }).Data)
      else void refusalOf(new Response(responseText, { status }), path).then(reject)
    })
    sending.addEventListener('error', () => reject(new TypeError('the service cannot be reached')))
    sending.addEventListener('abort', () => reject(new DOMException('given up', 'AbortError')))
    signal.addEventListener('abort', () => sending.abort())
    sending.send(file)
  })
}
