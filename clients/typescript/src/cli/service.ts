/** Commands about the service: who one is, what waits, the warehouse, types, webhooks. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generateTypes } from '../generate-types.ts'
import { verifyWebhook } from '../verify-webhook.ts'
import { needed, oneOf, said, Usage, type Commands, type Options } from './command.ts'

const WEBHOOKS = ['deliveries', 'ping', 'replay', 'listen'] as const

export const serviceCommands: Commands = {
  me: { usage: '', about: 'who the token is', run: ({ daybook }) => daybook.session.me() },
  waiting: {
    usage: '[<object>]',
    about: 'records that wait for you',
    run: async ({ daybook }, [object]) => {
      const { waiting } = await daybook.waiting(said({ object }))
      return waiting.map(({ Record, State, Since, By, Actions }) => {
        const { Id, ...shown } = Record
        return {
          Id,
          Record: Object.values(shown)[0] ?? null,
          State,
          Since,
          By: By.Name,
          Actions: Actions.map(({ Action }) => Action).join(', '),
        }
      })
    },
  },
  sql: {
    usage: '<question>',
    about: 'asks the warehouse',
    run: async ({ daybook }, [sql]) => {
      const { Columns, Rows } = await daybook.warehouse.query(needed(sql, 'a question'))
      return Rows.map((row) => Object.fromEntries(Columns.map((column, at) => [column, row[at]])))
    },
  },
  webhooks: {
    usage: `[${WEBHOOKS.slice(0, 2).join('|')} <key> | replay <key> <from> | listen [--port 4000] [--secret …]]`,
    about: 'webhooks; their deliveries; a receiver that shows what comes',
    run: async ({ daybook }, [action, key, From], options) => {
      const { webhooks } = daybook
      if (action === undefined) return webhooks.list().toArray({ limit: 1_000 })
      const what = oneOf(action, WEBHOOKS, 'what is done with webhooks')
      if (what === 'listen') return listen(options)
      const webhook = needed(key, 'the Key of a webhook')
      if (what === 'ping') return webhooks.ping(webhook)
      if (what === 'replay')
        return webhooks.replay(webhook, { From: needed(From, 'a moment, or beginning,') })
      return webhooks.deliveries(webhook).toArray({ limit: Number(options.limit ?? 25) })
    },
  },
  integrations: {
    usage: '[inbox <key> | preview <key> <file> [<entry>]] [--limit 25]',
    about: 'integrations; what one has received; what a payload in a file would do',
    run: async ({ daybook: { integrations } }, [action, key, file, Entry], { limit = '25' }) => {
      if (action === undefined) return integrations.list().toArray({ limit: 1_000 })
      const what = oneOf(action, ['inbox', 'preview'], 'what is done with integrations')
      const integration = needed(key, 'the Key of an integration')
      if (what === 'inbox') return integrations.inbox(integration).toArray({ limit: Number(limit) })
      const Payload = JSON.parse(readFileSync(needed(file, 'a file of JSON'), 'utf8')) as unknown
      return integrations.preview(integration, { Payload, ...said({ Entry }) })
    },
  },
  verify: {
    usage: '<body file> <header>… --secret …',
    about: 'checks the signature of a webhook: its body as it came, and its headers as name=value',
    run: async (_desk, [file, ...given], { secret }) => {
      const body = readFileSync(needed(file, 'a file with the body'))
      const headers = new Headers(given.map((one) => headerOf(one)))
      return verifyWebhook(body, headers, [needed(secret, '--secret')])
    },
  },
  types: {
    usage: '> objects.d.ts',
    about: 'TypeScript types of the objects; needs no token',
    run: async ({ daybook }) => generateTypes(await daybook.openapi()),
  },
}

function headerOf(given: string): [string, string] {
  const [, name, value] = /^([\w-]+)[=:]\s*(.*)$/.exec(given) ?? []
  if (name === undefined || value === undefined) throw new Usage(`${given}: write name=value`)
  return [name, value]
}

/** Prints what comes and whether it is signed by the secret, until it is interrupted. */
async function listen({ port = '4000', secret }: Options): Promise<string> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Usage('--port must be a port')
  const server = createServer((request, response) => {
    void received(request, secret).then(({ status, line }) => {
      process.stdout.write(`${line}\n`)
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(Number(port), '127.0.0.1', resolve)
  })
  process.stderr.write(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
  await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))
  server.close().closeAllConnections()
  return ''
}

async function received(request: IncomingMessage, secret: string | undefined) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  try {
    if (secret === undefined) return { status: 204, line: body.toString() }
    const event = await verifyWebhook(body, headersOf(request), [secret])
    return { status: 204, line: JSON.stringify(event) }
  } catch (error) {
    return { status: 401, line: `refused: ${(error as Error).message}` }
  }
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  return headers
}
