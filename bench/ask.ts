/** Single requests to a service under test, as its administrator. */
import { access } from './requests.ts'

/** One request; the path begins behind `/api/v1/`. A body that is no string is sent as JSON. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>

export function askerOf(url: string): Ask {
  return (method, path, body, headers) =>
    fetch(`${url}/api/v1/${path}`, {
      method,
      headers: { ...headersOf(body), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
}

function headersOf(body: unknown): Record<string, string> {
  const authorization = { Authorization: `Bearer ${access.token}` }
  return body === undefined ? authorization : { ...authorization, 'Content-Type': 'application/json' }
}
