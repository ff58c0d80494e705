/**
 * Kills whichever process leads, of two with the same role, and takes the time until the other does what it did: of
 * `projections`, until a record created after the kill is listed; of `webhooks`, until its event has arrived.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { startFerretDb } from '../engines/ferretdb/start.ts'
import { withDatabase } from '../engines/mongodb-under-test.ts'
import { startRabbitMq } from '../engines/rabbitmq/start.ts'
import { startPeer } from '../peers/eventstoredb/start-peer.ts'
import { SECRETS_KEYS } from '../support/secrets-keys.ts'
import { client, TOKEN } from '../support/service.ts'
import { startMain, type MainProcess } from '../system/support/main-process.ts'
import { startReceiver } from '../webhooks/receiver.ts'

export interface Takeovers {
  /** Of each kill, in ms. */
  readonly projections: readonly number[]
  readonly webhooks: readonly number[]
}

const LEASES = { projections: 'projection_leases', webhooks: 'webhook_leases' } as const
type Role = keyof typeof LEASES
/** Nobody waits for longer than this. */
const LONGEST_MS = 60_000
const LOOK_MS = 50

export async function takeovers({
  folder,
  kills,
}: {
  readonly folder: string
  readonly kills: number
}): Promise<Takeovers> {
  const stops: (() => Promise<unknown>)[] = []
  const kept = <T extends { stop(): Promise<unknown> }>(one: T): T => {
    stops.push(() => one.stop())
    return one
  }
  try {
    const peer = kept(await startPeer({ file: join(folder, 'peer.db') }))
    const mongoUrl = withDatabase(kept(await startFerretDb()).url, 'daybook')
    const settings = {
      EVENTSTORE_URL: peer.url,
      MONGODB_URL: mongoUrl,
      RABBITMQ_URL: kept(await startRabbitMq()).url,
      SECRETS_KEYS,
      BOOTSTRAP_TOKEN: TOKEN,
      RATE_LIMIT_PER_MINUTE: '0',
      WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8',
      LOG_LEVEL: 'fatal',
    }
    let started = 0
    const start = async (ROLES: string): Promise<MainProcess> => {
      const process = await startMain({ ...settings, ROLES, DATA_DIR: join(folder, `process-${++started}`) })
      stops.push(() => process.end('SIGTERM'))
      return process
    }
    const running: Record<Role, MainProcess[]> = {
      projections: [await start('projections'), await start('projections')],
      webhooks: [await start('webhooks'), await start('webhooks')],
    }
    const { url } = await start('api')
    const api = client(() => url)
    const receiver = kept(await startReceiver())
    await api.create('webhooks', { Url: `${receiver.url}/hook`, Events: ['tenant.created'] })
    const mongo = new MongoClient(mongoUrl)
    stops.push(() => mongo.close())

    /** A holder's name has the process in it: `<host> <pid> <id>`. */
    const leaderOf = async (role: Role): Promise<MainProcess> => {
      const leases = await mongo.db().collection(LEASES[role]).find({ held: true }).toArray()
      const holders = leases.map((lease) => Number(String(lease['holder']).split(' ')[1]))
      const leader = running[role].find(({ pid }) => holders.includes(pid))
      if (!leader) throw new Error(`none of the ${role} processes leads`)
      return leader
    }
    const untilDone: Record<Role, (name: string, key: string) => Promise<boolean>> = {
      projections: async (name) =>
        (await api.list('tenant', { filter: `Name eq '${name}'` })).list?.length === 1,
      webhooks: async (_, key) => receiver.received.some(({ json }) => json.Data['Id'] === key),
    }

    const killLeader = async (role: Role, round: number): Promise<number> => {
      const leader = await leaderOf(role)
      const killed = performance.now()
      await leader.end('SIGKILL')
      const name = `After kill ${round} of ${role}`
      const { Id } = await api.create('tenant', { Name: name })
      while (!(await untilDone[role](name, Id))) {
        if (performance.now() - killed > LONGEST_MS)
          throw new Error(`no other ${role} process has taken over`)
        await delay(LOOK_MS)
      }
      const took = performance.now() - killed
      running[role] = [...running[role].filter((one) => one !== leader), await start(role)]
      return took
    }
    const took: Record<Role, number[]> = { projections: [], webhooks: [] }
    for (let round = 1; round <= kills; round++)
      for (const role of ['projections', 'webhooks'] as const) took[role].push(await killLeader(role, round))
    return took
  } finally {
    for (const stop of stops.toReversed()) await stop().catch(() => {})
  }
}
