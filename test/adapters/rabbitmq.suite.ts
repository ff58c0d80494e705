/**
 * The delivery queue on RabbitMQ: against the broker that `RABBITMQ_URL` names, else against an own node of Debian's
 * `rabbitmq-server`, which `node test/engines/rabbitmq/install.ts` brings. The faults need an own node in any case.
 * What does not run says so.
 */
import { connect } from 'amqplib'
import { expect } from 'chai'
import fc from 'fast-check'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectSocket, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import {
  bindingKey,
  delayBy,
  delayRoute,
  LEVELS,
  timeToLive,
} from '../../src/adapters/rabbitmq/delay-ladder.ts'
import { rabbitmqDeliveryQueue } from '../../src/adapters/rabbitmq/delivery-queue.ts'
import { deleteQueues, topologyOf } from '../../src/adapters/rabbitmq/topology.ts'
import { Unavailable } from '../../src/domain/errors.ts'
import { LONGEST_DELAY_MS, type Consumer, type DeliveryQueue } from '../../src/ports/delivery-queue.ts'
import { deliveryQueueContract } from '../contracts/delivery-queue.ts'
import { installedVersion } from '../engines/rabbitmq/binary.ts'
import { killRounds } from '../engines/rabbitmq/kill-rounds.ts'
import { startRabbitMq, type RabbitMq } from '../engines/rabbitmq/start.ts'
import { tcpProxy } from '../support/tcp-proxy.ts'

const given = process.env['RABBITMQ_URL']
const installed = await installedVersion()
const engine = given ? 'the broker of RABBITMQ_URL' : `RabbitMQ ${installed}`
const missing = (what: string) =>
  console.log(`\nNOT TESTED: ${what}. Run: node test/engines/rabbitmq/install.ts\n`)
const withBroker = given || installed ? describe : describe.skip
const withOwnBroker = installed ? describe : describe.skip
if (!given && !installed) missing('the delivery queue on RabbitMQ (RABBITMQ_URL is not set either)')
if (!installed) missing('the delivery queue on RabbitMQ, when things go wrong')

describe('the delay ladder', () => {
  const delay = fc.integer({ min: 1, max: LONGEST_DELAY_MS })

  it('never makes a delay shorter, nor longer by more than a twentieth and its lowest step', () =>
    fc.assert(
      fc.property(delay, (delayMs) => {
        const by = delayBy(delayRoute(delayMs)!)
        expect(by).to.be.at.least(delayMs)
        expect(by).to.be.at.most(delayMs * 1.05 + 125)
      }),
    ))

  it('makes the delay of the queues that the bindings lead through, six at most', () =>
    fc.assert(
      fc.property(delay, (delayMs) => {
        const route = delayRoute(delayMs)!
        let [waited, queues] = [0, 0]
        for (let level = route.level; level >= 0; level--) {
          const bits = (['0', '1'] as const).filter((bit) => matches(bindingKey(level, bit), route.key))
          expect(bits, `level ${level} of ${route.key}`).to.have.length(1)
          if (bits[0] === '0') continue
          waited += timeToLive(level)
          queues++
        }
        expect(waited).to.equal(delayBy(route))
        expect(queues).to.be.within(1, 6)
      }),
    ))

  it('has no way for no delay, and room for the longest', () => {
    expect(delayRoute()).to.equal(undefined)
    expect(delayRoute(0)).to.equal(undefined)
    expect(delayRoute(LONGEST_DELAY_MS)!.level).to.be.below(LEVELS)
    expect(() => delayRoute(LONGEST_DELAY_MS + 1)).to.throw(RangeError)
  })

  /** As a topic exchange compares. */
  const matches = (pattern: string, key: string) => {
    const words = key.split('.')
    return pattern.split('.').every((part, i) => part === '#' || part === '*' || part === words[i])
  }
})

describe('the URL of RabbitMQ', () => {
  for (const url of ['', 'localhost', 'http://localhost', 'amqp:///vhost'])
    it(`cannot be ${JSON.stringify(url)}, and is not repeated`, () => {
      expect(() => rabbitmqDeliveryQueue({ url, onTrouble: () => {} })).to.throw(/must be amqp:/)
    })
})

let prefixes: string[] = []
const newPrefix = () => {
  const prefix = `daybook-test-${randomUUID().slice(0, 8)}`
  prefixes.push(prefix)
  return prefix
}

/** A look at the broker from the side, as an operator has. */
async function asOperator<T>(
  url: string,
  work: (channel: Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['createChannel']>>) => Promise<T>,
): Promise<T> {
  const model = await connect(url)
  model.on('error', () => {})
  const channel = await model.createChannel()
  channel.on('error', () => {})
  try {
    const result = await work(channel)
    await channel.close() // first: the connection's farewell would overtake what the channel still has to send
    return result
  } finally {
    await model.close()
  }
}

async function deleteTopologies(url: string): Promise<void> {
  await asOperator(url, async (channel) => {
    for (const topology of prefixes.map(topologyOf)) {
      await deleteQueues(channel, topology)
      for (const name of [...topology.delays, topology.mark]) await channel.deleteExchange(name)
    }
  })
  prefixes = []
}

withBroker(`the delivery queue on RabbitMQ (${engine})`, function () {
  this.timeout(60_000)
  let broker: RabbitMq | undefined
  let url: string
  before(async () => {
    if (!given) broker = await startRabbitMq()
    url = given ?? broker!.url
  })
  after(() => broker?.stop())
  deliveryQueueContract({
    adapter: {
      module: import.meta.resolve('../../src/adapters/rabbitmq/delivery-queue.ts'),
      opens: 'rabbitmqDeliveryQueue',
    },
    newPlace: async (settings) => ({ url, prefix: newPrefix(), ...settings }),
  })
  // After the contract's own, which closes the queues.
  afterEach(() => deleteTopologies(url))
})

withOwnBroker('the delivery queue on RabbitMQ, when things go wrong', function () {
  this.timeout(120_000)
  let broker: RabbitMq
  let prefix: string
  let troubles: string[]
  let queues: DeliveryQueue[]

  before(async () => (broker = await startRabbitMq()))
  after(() => broker.stop())
  beforeEach(() => {
    prefix = newPrefix()
    troubles = []
    queues = []
  })
  afterEach(async () => {
    await Promise.all(queues.map((queue) => queue.close()))
    await deleteTopologies(broker.url)
  })

  const open = (url = broker.url) => {
    const queue = rabbitmqDeliveryQueue({
      url,
      prefix,
      timeoutMs: 1_000,
      onTrouble: (message, error) =>
        troubles.push(`${message}: ${error instanceof Error ? error.message : ''}`),
    })
    queues.push(queue)
    return queue
  }

  describe('a broker that is killed', () => {
    it('loses nothing that it has confirmed', async () => {
      const { confirmed, lost, refused } = await killRounds({ broker, prefix, rounds: 5 })
      expect(confirmed).to.be.above(500)
      expect(refused, 'the kills hit nothing').to.be.above(0)
      expect(lost).to.deep.equal([])
    })

    it('is reached again, by those who enqueue and those who consume', async () => {
      const queue = open()
      const { ids } = consumeAll(queue)
      await enqueueAtLast(queue, 'before')
      await until(() => ids.has('before'))
      await broker.kill()
      await refusesBeforeLong(queue)
      expect((await queue.status()).state).to.equal('unreachable')
      await broker.start()
      await enqueueAtLast(queue, 'after')
      await until(() => ids.has('after'))
    })

    it('and its data deleted, has its queues again, and takes what the sweep enqueues anew', async () => {
      const queue = open()
      const outbox = [delivery('one'), { ...delivery('another'), delayMs: 5_000 }]
      await enqueueAtLast(queue, 'first')
      await queue.enqueue(outbox)
      await broker.kill()
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
      await asOperator(broker.url, (channel) => channel.deleteQueue(topologyOf(prefix).work))
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
      const [lowest] = topologyOf(prefix).delays
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
      await asOperator(broker.url, (channel) => channel.deleteQueue(topologyOf(prefix).work))
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
    const { work } = topologyOf(prefix)
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
