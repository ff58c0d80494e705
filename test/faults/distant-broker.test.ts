/**
 * A RabbitMQ behind a line that is slow, or that carries nothing and tells nobody (quality D7, D8): clients of the API do
 * not notice, and no webhook is lost.
 */
import { expect } from 'chai'
import { NOT_TESTED } from '../engines/rabbitmq-under-test.ts'
import { installedVersion } from '../engines/rabbitmq/binary.ts'
import { startRabbitMq, type RabbitMq } from '../engines/rabbitmq/start.ts'
import { suiteOf } from '../engines/suite-of.ts'
import { testService, type TestService } from '../support/service.ts'
import { tcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { OUTWARD } from '../system/stories/outward-story.ts'
import { startReceiver, type Receiver } from '../webhooks/receiver.ts'

const hasBroker = (await installedVersion()) !== undefined
const suite = suiteOf('a RabbitMQ on a bad line', hasBroker ? undefined : NOT_TESTED)

/** What the API takes at its slowest; only a wait for the broker would take longer. */
const API_BOUND_MS = 1_900
/** A consumer notices by its heartbeats that nobody is there: within three times ten seconds. */
const NOTICED_MS = 60_000

suite('a RabbitMQ on a bad line', function () {
  this.timeout(120_000)
  let broker: RabbitMq
  let line: TcpProxy
  let receiver: Receiver
  let service: TestService
  let sent = 0

  before(async () => {
    broker = await startRabbitMq()
    line = await tcpProxy({ port: broker.port })
    receiver = await startReceiver()
    service = await testService({
      settings: { ...OUTWARD, RABBITMQ_URL: `amqp://127.0.0.1:${line.port}/` },
    })
    const hook = { Url: `${receiver.url}/hook`, Events: ['tenant.created'] }
    expect((await service.post('webhooks', hook)).status).to.equal(201)
    await write()
    await arrived()
  })
  after(async () => {
    line?.heal()
    await service?.discard()
    await receiver?.stop()
    await line?.stop()
    await broker?.stop()
  })

  const write = async () => {
    const begin = performance.now()
    const answer = await service.post('tenant', { Name: `Tenant ${sent++}` })
    expect(answer.status, answer.text).to.equal(201)
    return performance.now() - begin
  }
  /** Everything that was written, at least once. */
  const arrived = async (within = NOTICED_MS) => {
    const end = performance.now() + within
    const there = () => new Set(receiver.received.map(({ json }) => json.Data['Id'])).size
    while (there() < sent) {
      if (performance.now() > end) throw new Error(`${there()} of ${sent} webhooks came`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const writeMany = async () => {
    const times: number[] = []
    for (let i = 0; i < 5; i++) times.push(...(await Promise.all(Array.from({ length: 8 }, write))))
    for (const ms of times) expect(ms).to.be.below(API_BOUND_MS)
  }

  it('that is slow by 2 s holds up no write, and webhooks come', async () => {
    line.delay(1_000) // there and back
    await writeMany()
    await arrived()
    line.heal()
  })

  it('that carries nothing and tells nobody holds up no write; it is noticed, and webhooks come', async () => {
    line.swallow() // what is there is dead; whoever tries again gets through
    await writeMany()
    await arrived()
  })

  it('that goes dead for good is told of, and webhooks come once there is another', async () => {
    line.swallowAll()
    await writeMany()
    const end = performance.now() + NOTICED_MS
    const state = async () =>
      ((await service.get('/api/v1/health/ready')).json['Data'] as Record<string, unknown>)['DeliveryQueue']
    while ((await state()) !== 'unreachable') {
      expect(performance.now()).to.be.below(end)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    line.heal()
    await arrived()
  })
})
