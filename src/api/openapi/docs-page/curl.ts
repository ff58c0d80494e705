/** An operation as a curl command that can be pasted into a shell. */
import type { Method, Operation, Parameter } from '../document.ts'

export interface CurlOf {
  readonly server: string
  readonly path: string
  readonly method: Method
  readonly operation: Operation
  /** With every reference followed. */
  readonly parameters: readonly Parameter[]
}

/** Query parameters that the command shows; the others are in the table beside it. */
const SHOWN: readonly string[] = ['filter', 'sort', 'expand']

export function curlCommand({ server, path, method, operation, parameters }: CurlOf): string {
  const example = (name: string) => parameters.find((one) => one.in === 'path' && one.name === name)?.example
  const url =
    server + path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(example(name))))
  const query = parameters.filter(
    (one) =>
      one.in === 'query' &&
      SHOWN.includes(one.name) &&
      one.example !== undefined &&
      operation.operationId.startsWith('list'),
  )
  const [mediaType, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const method_ = method === 'get' ? (query.length > 0 ? ' --get' : '') : ` -X ${method.toUpperCase()}`
  const lines = [
    `curl${method_} ${quoted(url)}`,
    ...(operation.security?.length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...query.map(({ name, example: value }) => `--data-urlencode ${quoted(`${name}=${String(value)}`)}`),
    ...(mediaType ? [`-H 'Content-Type: ${mediaType}'`] : []),
    ...(body ? [sent(body.example)] : []),
  ]
  return lines.join(' \\\n  ')
}

/** JSON as it is; a file by its name. */
function sent(example: unknown): string {
  return typeof example === 'string'
    ? `--data-binary ${quoted(example)}`
    : `-d ${quoted(JSON.stringify(example, null, 2))}`
}

/** In quotes in which a shell changes nothing. */
function quoted(text: string): string {
  if (/^[\w./:-]+$/.test(text)) return text
  const plain = !/["$`\\!]/.test(text)
  return text.includes("'") && plain ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`
}
