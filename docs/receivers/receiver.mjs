// A complete webhook receiver. Node 18 and later, no packages: WEBHOOK_SECRET=… node receiver.mjs
//
// It stores each message once, as INBOX/<webhook-id>.json, and answers. A worker of yours takes it from there, so that the
// answer is fast and a message is safe when this process stops. Keep the files for as long as repeats may come.
//
// Order: after a failed attempt later events overtake earlier ones. Let the worker compare Data.Version: keep the highest of
// each record and pass over older ones, or set Ordered on the webhook.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { link, open, unlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'

const { WEBHOOK_SECRET: secret, PORT = '4000', INBOX: inbox = 'inbox' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is required')
const MAX_BODY = 8 * 1024 * 1024
const MAX_AGE_SECONDS = 300

export function verify(secret, body, signature) {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const given = Buffer.from(signature ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Whether one of the signatures of Standard Webhooks is right, and the timestamp that it covers is recent. */
function verifyStandard(secret, body, id, timestamp, signatures) {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - timestamp) > MAX_AGE_SECONDS) return false
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret
  const expected = Buffer.from(
    `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  )
  return signatures.split(' ').some((one) => {
    const given = Buffer.from(one)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** Stores a message; one that is there already stays as it is. */
async function store(id, body) {
  const scratch = join(inbox, `${randomUUID()}.tmp`)
  const file = await open(scratch, 'wx')
  try {
    await file.writeFile(body)
    await file.sync()
    await link(scratch, join(inbox, `${id}.json`))
    console.log(`stored ${id}`)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    console.log(`repeated ${id}`)
  } finally {
    await file.close()
    await unlink(scratch)
  }
}

/** The status to answer with. */
async function receive(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY) return 413
    chunks.push(chunk)
  }
  // The raw bytes: JSON that was parsed and printed again has another signature.
  const body = Buffer.concat(chunks)
  const header = (name) => String(request.headers[name] ?? '')
  const id = header('webhook-id')
  if (!/^[\w-]{1,100}$/.test(id)) return 400
  if (!verify(secret, body, header('x-hub-signature-256'))) return 401
  if (!verifyStandard(secret, body, id, header('webhook-timestamp'), header('webhook-signature'))) return 401
  await store(id, body)
  return 204
}

mkdirSync(inbox, { recursive: true })
const server = createServer((request, response) => {
  receive(request)
    .catch((error) => {
      console.error(error)
      return 500 // Daybook tries again.
    })
    .then((status) => response.writeHead(status).end())
})
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}/`),
)
