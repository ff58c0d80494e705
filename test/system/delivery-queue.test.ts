/** Which delivery queue a service has, what it tells of it, and that its API does not depend on it. */
import { expect } from 'chai'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { deliveries } from '../../src/compose/deliveries.ts'
import { newFolder, testService, type TestService } from '../support/service.ts'
import { eventually } from './support/eventually.ts'

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  listener.close()
  await once(listener, 'close')
  return port
}

describe('a service whose RabbitMQ is away', () => {
  let service: TestService
  before(async () => {
    const settings = { RABBITMQ_URL: `amqp://daybook:secret-7@127.0.0.1:${await freePort()}/` }
    service = await testService({ settings })
  })
  after(() => service.discard())

  it('starts all the same, and serves records', async () => {
    const { Id } = await service.create('tenant', { Name: 'Zoë' })
    expect((await service.get(`tenant/${Id}`)).data).to.include({ Name: 'Zoë' })
  })

  it('is ready, and says that the queue is not reached', () =>
    eventually('the state of the queue is told', async () => {
      const answer = await service.get('/api/v1/health/ready')
      expect(answer.status).to.equal(200)
      expect(answer.json['Data']).to.deep.equal({ Status: 'ready', DeliveryQueue: 'unreachable' })
    }))

  it('shows it among its metrics, without figures that nobody knows', async () => {
    const { text } = await service.get('/metrics')
    expect(text).to.match(/^daybook_delivery_queue_state\{state="unreachable"\} 1$/m)
    expect(text).to.match(/^daybook_delivery_queue_state\{state="open"\} 0$/m)
    expect(text).to.not.match(/^daybook_deliveries_waiting \d/m)
  })

  it('logs why, and no password', () => {
    const told = JSON.stringify(service.logged)
    expect(told).to.contain('no connection to RabbitMQ').and.to.contain('ECONNREFUSED')
    expect(told).to.not.contain('secret-7')
  })
})

describe('the delivery queue of a process', () => {
  const log = { debug() {}, info() {}, warn() {}, error() {} }

  it('is a file in DATA_DIR when there is no RABBITMQ_URL, once someone asks for it', async () => {
    const folder = newFolder()
    let held = 0
    const composed = deliveries({ config: { DATA_DIR: folder }, log, holdDataDir: () => held++ })
    expect(await composed.status()).to.equal(undefined)
    expect(existsSync(join(folder, 'deliveries.db'))).to.equal(false)
    const queue = await composed.queue()
    expect(await composed.queue()).to.equal(queue)
    expect(held).to.equal(1)
    await queue.enqueue([{ id: 'one', endpoint: 'webhook-1', company: 'company-1' }])
    expect(await composed.status()).to.deep.equal({ state: 'open', waiting: 1, abandoned: 0 })
    expect(composed.lastState()).to.equal('open')
    await composed.close()
    expect(existsSync(join(folder, 'deliveries.db'))).to.equal(true)
  })
})
