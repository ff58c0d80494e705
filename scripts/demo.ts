/**
 * The demo: a leasing company that is made up, with a year of its history, created through the public API alone.
 *
 * Into a running instance (DAYBOOK_URL and DAYBOOK_TOKEN), or into one that it starts and keeps running until Ctrl-C.
 */
import { parseArgs } from 'node:util'
import { apiClient, type ApiClient, type Instance } from './demo/api-client.ts'
import { commandsToTry, shownAsText } from './demo/commands-to-try.ts'
import { createCompany } from './demo/create-records.ts'
import { liveAYear } from './demo/live-a-year.ts'
import { startOwnInstance, type OwnInstance } from './demo/own-instance.ts'
import { showMails } from './demo/mails.ts'
import { count, progress } from './demo/progress.ts'
import { describeCompany, whichCompany } from './demo/which-company.ts'

const USAGE = `npm run demo -- [options]

  --again        a further company beside those that are there
  --size 0.1     of 50 buildings, 1,000 units, 500 tenants and 10,000 contracts

DAYBOOK_URL and DAYBOOK_TOKEN name a running instance. Without them the demo starts its own, on PORT (3000) with its
data in DATA_DIR (./data/demo).`

interface Options {
  readonly again: boolean
  readonly scale: number
}

async function main(): Promise<void> {
  const options = readOptions()
  if (options === 'help') return console.log(USAGE)
  const { DAYBOOK_URL: url, DAYBOOK_TOKEN: token } = process.env
  if (url) {
    if (!token) throw new Error('DAYBOOK_URL is set but DAYBOOK_TOKEN is not')
    await show({ url: url.replace(/\/+$/, ''), token }, '$DAYBOOK_TOKEN', options)
    return
  }
  const dataDir = process.env['DATA_DIR'] || './data/demo'
  const own = await startOwnInstance({ dataDir, environment: process.env })
  process.on('SIGINT', own.stop)
  process.on('SIGTERM', own.stop)
  console.log(`Daybook runs on ${own.url}, its data are in ${dataDir}`)
  await keepRunning(own, options, dataDir)
}

function readOptions(): Options | 'help' {
  const { values } = parseArgs({
    options: {
      again: { type: 'boolean', default: false },
      size: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const scale = Number(values.size)
  if (!(scale > 0 && scale <= 100))
    throw new Error(`--size ${values.size}: must be a number above 0, at most 100`)
  return { again: values.again, scale }
}

/** Makes the company, unless it is there, and says what can be done with it. */
async function show(instance: Instance, token: string, options: Options): Promise<void> {
  const api = apiClient(instance)
  await createUnlessThere(api, options)
  const commands = await commandsToTry({ api, url: instance.url, token, now: new Date() })
  console.log(`\nFive things to try:\n\n${shownAsText(commands)}`)
}

async function createUnlessThere(api: ApiClient, { again, scale }: Options): Promise<void> {
  const { company, state } = await whichCompany(api, { again, scale, now: new Date() })
  if (state === 'complete') {
    console.log(
      'The demo company is there already; nothing was changed. --again makes another one beside it.',
    )
    return
  }
  if (state === 'begun') console.log('An earlier run was broken off; this one finishes it.')
  const started = performance.now()
  const bar = progress(process.stdout)
  const creating = { api, company, progress: bar }
  const keys = await createCompany(creating)
  await liveAYear(creating, keys)
  await describeCompany(api, company)
  bar.end()
  const seconds = Math.ceil((performance.now() - started) / 1_000)
  console.log(
    `A company with ${count(company.contracts)} contracts and a year of changes, in ${seconds} s. ` +
      'It is safe to run this again: what is there is left alone.',
  )
}

async function keepRunning(own: OwnInstance, options: Options, dataDir: string): Promise<void> {
  const showAll = async () => {
    await show(own, own.token, options)
    const mails = await showMails(apiClient(own), dataDir)
    if (mails !== undefined) console.log(`\n${mails}`)
  }
  try {
    await Promise.race([showAll(), own.ended])
    console.log('Ctrl-C stops the service; the data stay.')
  } catch (error) {
    own.stop()
    await own.ended
    throw error
  }
  process.exitCode = await own.ended
}

main().catch((error: unknown) => {
  console.error(`\nThe demo has failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
})
