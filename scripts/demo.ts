/**
 * The demo: a leasing company that is made up, and a year in which it used Daybook. It lives through the year in this
 * process, by a clock of this process, and is then served like any other store.
 */
import { parseArgs } from 'node:util'
import { cacheFolder } from '../src/compiled.js'
import type { Service } from '../src/compose/start-service.ts'
import { apiClient } from './demo/api-client.ts'
import { commandsToTry, shownAsText } from './demo/commands-to-try.ts'
import { makeDemo } from './demo/make.ts'
import { showMails } from './demo/mails.ts'
import { beginStore, endStore, storeIn, type OwnStore } from './demo/own-store.ts'
import { PEOPLE } from './demo/people.ts'
import { progress } from './demo/progress.ts'
import { receiver, sendWebhooksTo } from './demo/receiver.ts'
import { runService } from './demo/run-service.ts'
import { messageOf } from '../src/domain/errors.ts'

const USAGE = `npm run demo -- [options]

  --again        make a new one, in place of the one that is there
  --size 0.1     of 50 buildings, 1,000 units, 500 tenants and 10,000 contracts

Its data are in DATA_DIR (./data/demo), a folder of its own; it listens on PORT, or any free one.`

/** Settings that the demo passes on. The others are its own, so that no demo lands in a real store. */
const PASSED_ON = ['PORT', 'NOTIFICATION_PORT', 'LOG_LEVEL']

interface Options {
  readonly again: boolean
  readonly scale: number
}

const dataDir = process.env['DATA_DIR'] || './data/demo'
const note = (fields: object, message: string) => console.error(message, fields)
const log = { debug: () => {}, info: () => {}, warn: note, error: note }

async function main(): Promise<void> {
  const options = readOptions()
  if (options === 'help') return console.log(USAGE)
  process.umask(0o077)
  // Each import has a thread, which otherwise compiles its sources again.
  process.env['NODE_COMPILE_CACHE'] ??= cacheFolder
  const passed = PASSED_ON.map((name) => [name, process.env[name]] as const)
  const settings = { PORT: '0', ...Object.fromEntries(passed.filter(([, value]) => value)) }
  const store = await storeToShow(options)
  const webhooks = await receiver()
  const service = await runService({
    dataDir,
    log,
    settings: { ...settings, WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' },
  })
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    webhooks.close()
    void service.stop().then(() => process.exit(0))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const url = service.url.replace(/\/+$/, '')
  const api = apiClient({ url, token: store.token })
  await sendWebhooksTo(api, webhooks.url)
  const mails = await showMails({ api, url, password: store.password, dataDir })
  console.log(`\n${credentials(service, url, store)}\n`)
  if (mails !== undefined) console.log(`${mails}\n`)
  const commands = await commandsToTry({ api, url, token: store.token, now: new Date() })
  console.log(`Some things to try:\n\n${shownAsText(commands)}`)
  console.log('Ctrl-C stops the service; the data stay. --again makes new ones.')
}

function readOptions(): Options | 'help' {
  const { values } = parseArgs({
    options: {
      again: { type: 'boolean', default: false },
      size: { type: 'string', default: '0.1' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const scale = Number(values.size)
  if (!(scale >= 0.04 && scale <= 10))
    throw new Error(`--size ${values.size}: must be a number from 0.04 to 10`)
  return { again: values.again, scale }
}

async function storeToShow({ again, scale }: Options): Promise<OwnStore> {
  const there = storeIn(dataDir)
  if (there?.isWhole && !again) {
    console.log(`The demo of ${there.madeAt.slice(0, 10)} in ${dataDir} is shown as you left it.`)
    return there
  }
  if (there && !there.isWhole) console.log('An earlier run was broken off; what it made is replaced.')
  const started = performance.now()
  const now = Date.now()
  const store = beginStore(dataDir, scale, now)
  await makeDemo({ ...store, dataDir, now, settings: {}, log, progress: progress(process.stdout) })
  endStore(dataDir, store)
  const seconds = Math.ceil((performance.now() - started) / 1_000)
  console.log(`A year of a company, made in ${seconds} s. Its data are in ${dataDir}.`)
  return store
}

function credentials({ company }: Service, url: string, { token, password }: OwnStore): string {
  const people = Object.values(PEOPLE).map(({ email, job }) => `  ${email.padEnd(32)} ${job}`)
  return [
    `Daybook runs on ${url}`,
    `Console:   ${url}/console?company=${company}`,
    `API token: ${token}`,
    `Password:  ${password}, of each of these people:`,
    ...people,
  ].join('\n')
}

main().catch((error: unknown) => {
  console.error(`\nThe demo has failed: ${messageOf(error)}`)
  process.exit(1)
})
