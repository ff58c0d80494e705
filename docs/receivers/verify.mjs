// Node 18 and later, no packages. `body` is the raw request body: a Buffer, before any JSON parser.
import { createHmac, timingSafeEqual } from 'node:crypto'

export function verify(secret, body, signature) {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const given = Buffer.from(signature ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
