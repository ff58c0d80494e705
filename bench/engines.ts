/**
 * The engines of `--engines`: the servers that the environment names, else those that the tests start here.
 *
 * A stand-in's figures are a stand-in's: what each engine is stands beside the figures.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { withDatabase } from '../test/engines/mongodb-under-test.ts'
import { installedVersion as ferretDbVersion } from '../test/engines/ferretdb/binary.ts'
import { startFerretDb } from '../test/engines/ferretdb/start.ts'
import { installedVersion as rabbitMqVersion } from '../test/engines/rabbitmq/binary.ts'
import { startRabbitMq } from '../test/engines/rabbitmq/start.ts'
import { ownCompany } from '../test/support/own-company.ts'
import { access } from './requests.ts'

export interface Engines {
  /** What the service is told: the URLs. */
  readonly settings: Readonly<
    Record<'EVENTSTORE_URL' | 'MONGODB_URL' | 'RABBITMQ_URL' | 'SECRETS_KEYS', string>
  >
  /** What each is, one fact a line. */
  readonly facts: readonly string[]
  /** Whether the read models can be asked for lists of many thousand records. */
  readonly listsRecords: boolean
  /** The URL of a store of events that this run has put nothing into; where a server is named, it is that one again. */
  freshEvents(): Promise<string>
  stop(): Promise<void>
}

interface Started {
  readonly url: string
  readonly stop: () => Promise<void>
}

/**
 * The server of EVENTSTORE_URL, else the tests' peer, with a company of its own for the benchmark's token.
 * @param file where the peer keeps its events
 */
export async function startEventStore(file: string): Promise<Started & { readonly pid?: number }> {
  const given = process.env['EVENTSTORE_URL']
  const server = given ? { url: given, stop: async () => {} } : await startPeerProcess(file)
  await ownCompany(server.url, access.token)
  return server
}

const MISSING = '(not installed: npm run engines:install)'
const PEER = join(import.meta.dirname, '..', 'test', 'peers', 'eventstoredb', 'main.ts')

/**
 * @param folder where engines that are started here keep their data
 * @throws Error when an engine is neither named by the environment nor installed
 */
export async function startEngines(folder: string): Promise<Engines> {
  const stops: (() => Promise<unknown>)[] = []
  const facts: string[] = []
  const stop = async () => {
    for (const one of stops.splice(0).toReversed()) await one()
  }
  /** The server that the setting names, else the one that `start` brings up. */
  const urlOf = async (setting: string, keeps: string, name: string, start: () => Promise<Started>) => {
    const given = process.env[setting]
    facts.push(`${keeps}: ${given ? `the server that ${setting} names` : name}`)
    if (given) return given
    const { url, stop: end } = await start()
    stops.push(end)
    return url
  }
  try {
    const peer = "the tests' peer of EventStoreDB, a Node process on SQLite"
    let peers = 0
    const startPeer = () => startPeerProcess(join(folder, `peer-${++peers}.db`))
    const events = await urlOf('EVENTSTORE_URL', 'events', peer, startPeer)
    const ferretDb = `FerretDB ${(await ferretDbVersion()) ?? MISSING} on SQLite`
    const readModels = await urlOf('MONGODB_URL', 'read models', ferretDb, startFerretDb)
    const broker = `RabbitMQ ${(await rabbitMqVersion()) ?? MISSING}`
    const deliveries = await urlOf('RABBITMQ_URL', 'deliveries', broker, startRabbitMq)
    await ownCompany(events, access.token)
    const freshEvents = async () => {
      if (process.env['EVENTSTORE_URL']) return events
      const { url, stop: end } = await startPeer()
      stops.push(end)
      await ownCompany(url, access.token)
      return url
    }
    const settings = {
      EVENTSTORE_URL: events,
      MONGODB_URL: withDatabase(readModels, `daybook_bench_${randomBytes(4).toString('hex')}`),
      RABBITMQ_URL: deliveries,
      SECRETS_KEYS: randomBytes(32).toString('base64'),
    }
    return { settings, facts, listsRecords: process.env['MONGODB_URL'] !== undefined, freshEvents, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A process of its own, as a server is. */
async function startPeerProcess(file: string): Promise<Started & { readonly pid: number }> {
  const child = spawn(process.execPath, [PEER, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const port = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the peer of EventStoreDB did not start')))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const taken = /^PORT (\d+)$/.exec(line)?.[1]
      if (taken) resolve(taken)
    })
  })
  return {
    pid: child.pid!,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    async stop() {
      const ended = once(child, 'exit')
      kill()
      await ended
      process.off('exit', kill)
    },
  }
}
