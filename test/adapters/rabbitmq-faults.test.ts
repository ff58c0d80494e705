/**
 * The delivery queue on RabbitMQ when things go wrong. It has to be a broker that tests may kill: an own node of
 * Debian's `rabbitmq-server`, whatever `RABBITMQ_URL` says.
 */
import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectSocket, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { rabbitmqDeliveryQueue } from '../../src/adapters/rabbitmq/delivery-queue.ts'
import { SETTLE_MS } from '../../src/adapters/rabbitmq/founding.ts'
import { topologyOf } from '../../src/adapters/rabbitmq/topology.ts'
import { Unavailable } from '../../src/domain/errors.ts'
import { DELIVERY_LIMIT, type Consumer, type DeliveryQueue } from '../../src/ports/delivery-queue.ts'
import { asOperator, freshPrefix, hasRabbitMq, NOT_TESTED } from '../engines/rabbitmq-under-test.ts'
import { killRounds } from '../engines/rabbitmq/kill-rounds.ts'
import { startRabbitMq, type RabbitMq } from '../engines/rabbitmq/start.ts'
import { tcpProxy } from '../support/tcp-proxy.ts'

if (!hasRabbitMq) console.log(`\nNOT TESTED: faults of RabbitMQ (${NOT_TESTED})\n`)
const suite = hasRabbitMq ? describe : describe.skip

suite('the delivery queue on RabbitMQ, when things go wrong', function () {
  this.timeout(120_000)
  let broker: RabbitMq
  let prefix: string
  let troubles: string[]
  let queues: DeliveryQueue[]

  before(async () => (broker = await startRabbitMq()))
  after(() => broker.stop())
  beforeEach(() => {
    prefix = freshPrefix()
    troubles = []
    queues = []
  })
  afterEach(async () => {
    await Promise.all(queues.map((queue) => queue.close()))
  })

  /** Queues that are new are left alone only where the broker is killed. */
  const open = (url = broker.url, settleMs = 0) => {
    const queue = rabbitmqDeliveryQueue({
      url,
      prefix,
      settleMs,
      timeoutMs: 1_000,
      onTrouble: (message, error) =>
        troubles.push(`${message}: ${error instanceof Error ? error.message : ''}`),
    })
    queues.push(queue)
    return queue
  }

  describe('a broker that is killed', () => {
    it('loses nothing that it has confirmed, and is reached again each time', async () => {
      const { confirmed, lost, refused } = await killRounds({ broker, prefix, rounds: 3 })
      expect(confirmed).to.be.above(300)
      expect(refused, 'the kills hit nothing').to.be.above(0)
      expect(lost).to.deep.equal([])
    })

    it('and its data deleted, has its queues again, and takes what the sweep enqueues anew', async () => {
      const queue = open(broker.url, SETTLE_MS)
      const outbox = [delivery('one'), { ...delivery('another'), delayMs: 5_000 }]
      await enqueueAtLast(queue, 'first')
      await queue.enqueue(outbox)
      await broker.kill()
      await refusesBeforeLong(queue)
      expect((await queue.status()).state).to.equal('unreachable')
      broker.deleteData()
      await broker.start()
      const { ids } = consumeAll(queue)
      await enqueueAtLast(queue, 'new')
      await until(() => ids.has('new'))
      expect([...ids]).to.not.include('one')
      await queue.enqueue(outbox.map(({ id }) => delivery(id)))
      await until(() => ids.has('one') && ids.has('another'))
    })
  })

  describe('a queue that is gone', () => {
    it('makes enqueueing fail, not succeed, and is declared again', async () => {
      const queue = open()
      await enqueueAtLast(queue, 'first')
      await asOperator(broker.url, (channel) => channel.deleteQueue(topologyOf(prefix, DELIVERY_LIMIT).work))
      expect(await caught(queue.enqueue([delivery('nowhere')]))).to.be.instanceOf(Unavailable)
      expect(troubles.join()).to.contain('no queue for deliveries')
      await enqueueAtLast(queue, 'somewhere')
      const { ids } = consumeAll(queue)
      await until(() => ids.has('somewhere'))
      expect([...ids]).to.not.include('nowhere')
    })

    it('makes a delayed enqueueing fail, too', async () => {
      const queue = open()
      await enqueueAtLast(queue, 'first')
      const [lowest] = topologyOf(prefix, DELIVERY_LIMIT).delays
      await asOperator(broker.url, (channel) => channel.deleteQueue(lowest!))
      expect(await caught(queue.enqueue([{ ...delivery('nowhere'), delayMs: 125 }]))).to.be.instanceOf(
        Unavailable,
      )
      await until(
        async () => (await caught(queue.enqueue([{ ...delivery('later'), delayMs: 125 }]))) === undefined,
      )
      const { ids } = consumeAll(queue)
      await until(() => ids.has('later'))
    })

    it('makes consumers come back for the next one', async () => {
      const queue = open()
      const { ids } = consumeAll(queue)
      await enqueueAtLast(queue, 'first')
      await until(() => ids.has('first'))
      await asOperator(broker.url, (channel) => channel.deleteQueue(topologyOf(prefix, DELIVERY_LIMIT).work))
      await enqueueAtLast(queue, 'next')
      await until(() => ids.has('next'))
    })
  })

  describe('a broker that takes no messages', () => {
    afterEach(() => broker.control('set_vm_memory_high_watermark', '0.4'))

    it('lets enqueueing fail after a bounded wait, and consumers go on', async () => {
      const queue = open()
      const many = Array.from({ length: 200 }, (_, i) => delivery(`waiting-${i}`))
      await enqueueAtLast(queue, 'first')
      await queue.enqueue(many)
      await broker.control('set_vm_memory_high_watermark', '0.0000001')
      await refusesBeforeLong(queue)
      expect((await queue.status()).state).to.equal('blocked')
      expect(troubles.join()).to.contain('takes no messages')

      const { ids } = consumeAll(queue)
      await until(() => many.every(({ id }) => ids.has(id)))

      await broker.control('set_vm_memory_high_watermark', '0.4')
      await enqueueAtLast(queue, 'at last')
      await until(() => ids.has('at last'))
      expect((await queue.status()).state).to.equal('open')
    })

    it('gets later what is to come again, and meanwhile has it in no danger', async () => {
      const queue = open()
      await enqueueAtLast(queue, 'again')
      await broker.control('set_vm_memory_high_watermark', '0.0000001')
      await refusesBeforeLong(queue)
      let times = 0
      consumeAll(queue, { handle: async () => (++times === 1 ? { againInMs: 200 } : 'done') })
      await until(() => troubles.some((trouble) => /again cannot be put back/.test(trouble)))
      expect(times).to.equal(1)
      await broker.control('set_vm_memory_high_watermark', '0.4')
      await until(() => times === 2)
    })
  })

  describe('a connection that carries nothing any more', () => {
    it('hangs no call, and is replaced', async () => {
      const proxy = await tcpProxy({ port: broker.port })
      const queue = open(`amqp://127.0.0.1:${proxy.port}`)
      await enqueueAtLast(queue, 'before')
      proxy.swallow()
      expect(await caught(queue.enqueue([delivery('into the hole')]))).to.be.instanceOf(Unavailable)
      await enqueueAtLast(queue, 'after')
      proxy.swallow()
      expect((await queue.status()).state).to.equal('unreachable')
      proxy.swallow()
      await queue.close()
      await proxy.stop()
    })

    it('is noticed by consumers by its lack of a heartbeat', async () => {
      const proxy = await tcpProxy({ port: broker.port })
      const { ids, consumption } = consumeAll(open(`amqp://127.0.0.1:${proxy.port}?heartbeat=1`))
      const queue = open()
      await enqueueAtLast(queue, 'before')
      await until(() => ids.has('before'))
      proxy.swallow()
      await queue.enqueue([delivery('after')])
      await until(() => ids.has('after'))
      proxy.swallow()
      await consumption.stop()
      await proxy.stop()
    })

    it('need not have answered at all', async () => {
      const silent = createServer().listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const sockets = new Set<{ destroy(): void }>()
      silent.on('connection', (socket) => sockets.add(socket))
      const queue = open(`amqp://127.0.0.1:${(silent.address() as AddressInfo).port}`)
      const { consumption } = consumeAll(queue)
      expect(await caught(queue.enqueue([delivery('unheard')]))).to.be.instanceOf(Unavailable)
      expect((await queue.status()).state).to.equal('unreachable')
      await consumption.stop()
      await queue.close()
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
  })

  it('a message that is no delivery is dropped and told of, and holds nothing up', async () => {
    const queue = open()
    await enqueueAtLast(queue, 'first')
    const { work } = topologyOf(prefix, DELIVERY_LIMIT)
    await asOperator(broker.url, async (channel) => {
      for (const text of ['', 'null', '{"id":7}', '[1', '"text"'])
        channel.sendToQueue(work, Buffer.from(text))
    })
    await queue.enqueue([delivery('last')])
    const { ids } = consumeAll(queue, { concurrency: 1 })
    await until(() => ids.has('last'))
    expect(troubles.filter((trouble) => /no delivery/.test(trouble))).to.have.length(5)
    await until(async () => (await queue.status()).waiting === 0)
  })

  it('a limit that differs from that of the existing queue is told of', async () => {
    await enqueueAtLast(open(), 'first')
    const other = rabbitmqDeliveryQueue({
      url: broker.url,
      prefix,
      deliveryLimit: 7,
      settleMs: 0,
      timeoutMs: 1_000,
      onTrouble: () => {},
    })
    const error = await caught(other.enqueue([delivery('second')]))
    await other.close()
    expect(error).to.be.instanceOf(Unavailable)
    expect((error as Error).message).to.contain('x-delivery-limit')
  })

  describe('the URL', () => {
    it('says who, and to which virtual host', async () => {
      await broker.control('add_vhost', 'house/1')
      await broker.control('add_user', 'anna', 'p@ss:wörd/1')
      await broker.control('set_permissions', '-p', 'house/1', 'anna', '.*', '.*', '.*')
      const who = `anna:${encodeURIComponent('p@ss:wörd/1')}`
      const queue = open(`amqp://${who}@127.0.0.1:${broker.port}/${encodeURIComponent('house/1')}`)
      await enqueueAtLast(queue, 'there')
      expect(await broker.control('list_queues', '-p', 'house/1', 'name')).to.contain(`${prefix}.deliveries`)
      await broker.control('delete_vhost', 'house/1')
    })

    it('with a wrong password ends in Unavailable, and the password is not told', async () => {
      const queue = open(`amqp://guest:secret-7@127.0.0.1:${broker.port}`)
      const error = await caught(queue.enqueue([delivery('refused')]))
      expect(error).to.be.instanceOf(Unavailable)
      expect((error as Error).message).to.contain('ACCESS_REFUSED')
      expect(`${String(error)} ${troubles.join()}`).to.not.contain('secret-7')
    })

    it('with amqps:// speaks TLS, to a broker whose certificate it can check', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'daybook-tls-'))
      const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
      const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
      const subject = ['-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
      await promisify(execFile)('openssl', [...request, ...subject, '-keyout', key, '-out', cert])
      const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (near) => {
        const far = connectSocket(broker.port, '127.0.0.1')
        near.pipe(far).pipe(near)
        near.on('error', () => far.destroy())
        far.on('error', () => near.destroy())
      }).listen(0, '127.0.0.1')
      await once(tls, 'listening')
      const url = `amqps://127.0.0.1:${(tls.address() as AddressInfo).port}`

      const distrustful = open(url)
      expect(await caught(distrustful.enqueue([delivery('unsent')]))).to.be.instanceOf(Unavailable)
      const trusting = open(`${url}?cacertfile=${encodeURIComponent(cert)}`)
      await enqueueAtLast(trusting, 'sent')
      expect((await trusting.status()).state).to.equal('open')

      await Promise.all([distrustful.close(), trusting.close()])
      tls.close()
      rmSync(folder, { recursive: true })
    })
  })
})

const delivery = (id: string) => ({ id, endpoint: 'webhook-1', company: 'company-1' })

function consumeAll(queue: DeliveryQueue, consumer: Partial<Consumer> = {}) {
  const ids = new Set<string>()
  const consumption = queue.consume({
    concurrency: 10,
    abandoned: async () => {},
    ...consumer,
    handle: (delivery) => {
      ids.add(delivery.id)
      return consumer.handle?.(delivery) ?? Promise.resolve('done')
    },
  })
  return { ids, consumption }
}

/** The first may still be confirmed; none hangs. */
async function refusesBeforeLong(queue: DeliveryQueue): Promise<void> {
  await until(async () => (await caught(queue.enqueue([delivery('refused')]))) instanceof Unavailable)
}

async function enqueueAtLast(queue: DeliveryQueue, id: string): Promise<void> {
  await until(async () => (await caught(queue.enqueue([delivery(id)]))) === undefined)
}

/** Resolves when it holds; rejects when it does not come to. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const since = performance.now()
  while (!(await condition())) {
    if (performance.now() - since > 60_000)
      throw new Error(`this never came to hold: ${condition.toString()}`)
    await sleep(10)
  }
}

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )
