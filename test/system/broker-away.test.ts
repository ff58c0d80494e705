/** A service whose broker is away: neither its API nor its deliveries depend on it. */
import { expect } from 'chai'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { testService, type TestService } from '../support/service.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { OUTWARD } from './stories/outward-story.ts'
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
    const settings = { ...OUTWARD, RABBITMQ_URL: `amqp://daybook:secret-7@127.0.0.1:${await freePort()}/` }
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
      expect(answer.json['Data']).to.include({ Status: 'ready', DeliveryQueue: 'unreachable' })
    }))

  it('shows it among its metrics, without figures that nobody knows', async () => {
    const { text } = await service.get('/metrics')
    expect(text).to.match(/^daybook_delivery_queue_state\{state="unreachable"\} 1$/m)
    expect(text).to.match(/^daybook_delivery_queue_state\{state="open"\} 0$/m)
    expect(text).to.not.match(/^daybook_deliveries_waiting \d/m)
  })

  it('delivers all the same', async () => {
    const receiver = await startReceiver()
    const hook = { Url: `${receiver.url}/hook`, Events: ['tenant.created'] }
    expect((await service.post('webhooks', hook)).status).to.equal(201)
    const { Id } = await service.create('tenant', { Name: 'Ada' })
    const [received] = await receiver.got(1)
    expect(received!.json.Data['Id']).to.equal(Id)
    await receiver.stop()
  })

  it('logs why, and no password', () => {
    const told = JSON.stringify(service.logged)
    expect(told).to.contain('no connection to RabbitMQ').and.to.contain('ECONNREFUSED')
    expect(told).to.not.contain('secret-7')
  })
})
