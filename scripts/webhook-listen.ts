/**
 * `npm run webhook-listen -- [--port 4000] [--secret <secret>] [--answer 204]`: a receiver of webhooks for your own machine.
 * It prints what comes, and whether its signature is by the secret; it answers as it is told.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { commandLine, refuse } from './command-line.ts'

const USAGE = `usage: npm run webhook-listen -- [options]

  --port 4000                    where it listens, on this machine; 0 is any free one
  --secret <secret>              the webhook's, to check signatures by
  --answer 204                   the status that it answers, 200 to 599; 401 where the signature is wrong
  --header X-Hub-Signature-256   the header of the signature (WEBHOOK_SIGNATURE_HEADER)`

const { secret, header: signatureHeader, port, status } = options()

function options() {
  const { values } = commandLine(USAGE, {
    options: {
      port: { type: 'string', default: '4000' },
      secret: { type: 'string' },
      answer: { type: 'string', default: '204' },
      header: { type: 'string', default: 'X-Hub-Signature-256' },
    },
  })
  const given = { ...values, port: Number(values.port), status: Number(values.answer) }
  if (!isBetween(0, given.port, 65_535))
    refuse(USAGE, `--port ${values.port}: a port is a number up to 65535.`)
  if (!isBetween(200, given.status, 599))
    refuse(USAGE, `--answer ${values.answer}: a status that ends a request is 200 to 599.`)
  return given
}

function isBetween(least: number, value: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}

function verdict(body: Buffer, signature: string | undefined): string {
  if (secret === undefined) return 'not checked: give the secret with --secret'
  if (signature === undefined) return `MISSING: there is no ${signatureHeader}`
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const given = Buffer.from(signature)
  const isRight = given.length === expected.length && timingSafeEqual(given, expected)
  return isRight ? 'valid' : 'WRONG: it is by another secret, or the body was changed'
}

function pretty(body: Buffer): string {
  try {
    return JSON.stringify(JSON.parse(body.toString()), null, 2)
  } catch {
    return body.toString()
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const server = createServer((request, response) => {
  void bodyOf(request).then(
    (body) => {
      const header = (name: string) => request.headers[name.toLowerCase()]?.toString()
      console.log(`\n${new Date().toISOString()} ${request.method} ${request.url}`)
      for (const name of ['webhook-id', 'Daybook-Event', 'Daybook-Delivery', 'Daybook-Attempt'])
        console.log(`  ${name}: ${header(name) ?? '-'}`)
      const signature = verdict(body, header(signatureHeader))
      console.log(`  signature: ${signature}`)
      console.log(pretty(body))
      response.writeHead(/^(WRONG|MISSING)/.test(signature) ? 401 : status).end()
    },
    () => response.destroy(),
  )
})
server.on('error', (error) => {
  console.error(`cannot listen: ${error.message}`)
  process.exit(1)
})
server.listen(port, '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/, answering ${status}`)
})
