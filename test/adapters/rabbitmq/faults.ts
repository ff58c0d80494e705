/**
 * What happens to the delivery queue on RabbitMQ when things go wrong with the broker or on the way to it. The broker has
 * to be one that tests may kill.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { SETTLE_MS } from '../../../src/adapters/rabbitmq/founding.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { caught, consumeAll, delivery, has, until } from '../../contracts/delivery-queue/consuming.ts'
import { killRounds } from '../../engines/rabbitmq/kill-rounds.ts'
import type { RabbitMq } from '../../engines/rabbitmq/start.ts'
import { tcpProxy } from '../../support/tcp-proxy.ts'
import { asOperator, enqueueAtLast, queuesOn, refusesBeforeLong } from './queues.ts'

export function rabbitmqFaults(broker: () => RabbitMq): void {
  const queues = queuesOn(() => broker().url)

  describe('a broker that is killed', () => {
    it('loses nothing that it has confirmed, and is reached again each time', async () => {
      const { confirmed, lost, refused } = await killRounds({
        broker: broker(),
        prefix: queues.prefix,
        rounds: 2,
      })
      expect(confirmed).to.be.at.least(200)
      expect(refused, 'the kills hit nothing').to.be.above(0)
      expect(lost).to.deep.equal([])
    })

    it('and its data deleted, has its queues again, and takes what the sweep enqueues anew', async () => {
      const queue = queues.open({ settleMs: SETTLE_MS })
      const outbox = [delivery('one'), { ...delivery('another'), delayMs: 5_000 }]
      await enqueueAtLast(queue, 'first')
      await queue.enqueue(outbox)
      await broker().kill()
      await refusesBeforeLong(queue)
      expect((await queue.status()).state).to.equal('unreachable')
      broker().deleteData()
      await broker().start()
      const { handed } = consumeAll(queue)
      await enqueueAtLast(queue, 'new')
      await until(() => has(handed, [delivery('new')]))
      expect(handed.map(({ id }) => id)).to.not.include('one')
      await queue.enqueue(outbox.map(({ id }) => delivery(id)))
      await until(() => has(handed, [delivery('one')]) && has(handed, [delivery('another')]))
    })
  })

  describe('a queue that is gone', () => {
    it('makes enqueueing fail, not succeed, and is declared again', async () => {
      const queue = queues.open()
      await enqueueAtLast(queue, 'first')
      await asOperator(broker().url, (channel) => channel.deleteQueue(queues.topology().work))
      expect(await caught(queue.enqueue([delivery('nowhere')]))).to.be.instanceOf(Unavailable)
      expect(queues.troubles.join()).to.contain('no queue for deliveries')
      await enqueueAtLast(queue, 'somewhere')
      const { handed } = consumeAll(queue)
      await until(() => has(handed, [delivery('somewhere')]))
      expect(handed.map(({ id }) => id)).to.not.include('nowhere')
    })

    it('makes a delayed enqueueing fail, too', async () => {
      const queue = queues.open()
      await enqueueAtLast(queue, 'first')
      const [lowest] = queues.topology().delays
      await asOperator(broker().url, (channel) => channel.deleteQueue(lowest!))
      expect(await caught(queue.enqueue([{ ...delivery('nowhere'), delayMs: 125 }]))).to.be.instanceOf(
        Unavailable,
      )
      await until(
        async () => (await caught(queue.enqueue([{ ...delivery('later'), delayMs: 125 }]))) === undefined,
      )
      const { handed } = consumeAll(queue)
      await until(() => has(handed, [delivery('later')]))
    })

    it('makes consumers come back for the next one', async () => {
      const queue = queues.open()
      const { handed } = consumeAll(queue)
      await enqueueAtLast(queue, 'first')
      await until(() => has(handed, [delivery('first')]))
      await asOperator(broker().url, (channel) => channel.deleteQueue(queues.topology().work))
      await enqueueAtLast(queue, 'next')
      await until(() => has(handed, [delivery('next')]))
    })
  })

  describe('a broker that takes no messages', () => {
    afterEach(() => broker().control('set_vm_memory_high_watermark', '0.4'))

    it('lets enqueueing fail after a bounded wait, and consumers go on', async () => {
      const queue = queues.open()
      const many = Array.from({ length: 200 }, (_, i) => delivery(`waiting-${i}`))
      await enqueueAtLast(queue, 'first')
      await queue.enqueue(many)
      await broker().control('set_vm_memory_high_watermark', '0.0000001')
      await refusesBeforeLong(queue)
      expect((await queue.status()).state).to.equal('blocked')
      expect(queues.troubles.join()).to.contain('takes no messages')

      const { handed } = consumeAll(queue)
      await until(() => has(handed, many))

      await broker().control('set_vm_memory_high_watermark', '0.4')
      await enqueueAtLast(queue, 'at last')
      await until(() => has(handed, [delivery('at last')]))
      expect((await queue.status()).state).to.equal('open')
    })

    it('gets later what is to come again, and meanwhile has it in no danger', async () => {
      const queue = queues.open()
      await enqueueAtLast(queue, 'again')
      await broker().control('set_vm_memory_high_watermark', '0.0000001')
      await refusesBeforeLong(queue)
      let times = 0
      consumeAll(queue, { handle: async () => (++times === 1 ? { againInMs: 200 } : 'done') })
      await until(() => queues.troubles.some((trouble) => /again cannot be put back/.test(trouble)))
      expect(times).to.equal(1)
      await broker().control('set_vm_memory_high_watermark', '0.4')
      await until(() => times === 2)
    })
  })

  describe('a connection that carries nothing any more', () => {
    it('hangs no call, and is replaced', async () => {
      const proxy = await tcpProxy({ port: broker().port })
      const queue = queues.open({ url: `amqp://127.0.0.1:${proxy.port}` })
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
      const proxy = await tcpProxy({ port: broker().port })
      const { handed, consumption } = consumeAll(
        queues.open({ url: `amqp://127.0.0.1:${proxy.port}?heartbeat=1` }),
      )
      const queue = queues.open()
      await enqueueAtLast(queue, 'before')
      await until(() => has(handed, [delivery('before')]))
      proxy.swallow()
      await queue.enqueue([delivery('after')])
      await until(() => has(handed, [delivery('after')]))
      proxy.swallow()
      await consumption.stop()
      await proxy.stop()
    })

    it('need not have answered at all', async () => {
      const silent = createServer().listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const sockets = new Set<{ destroy(): void }>()
      silent.on('connection', (socket) => sockets.add(socket))
      const queue = queues.open({ url: `amqp://127.0.0.1:${(silent.address() as AddressInfo).port}` })
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
    const queue = queues.open()
    await enqueueAtLast(queue, 'first')
    const { work } = queues.topology()
    await asOperator(broker().url, async (channel) => {
      for (const text of ['', 'null', '{"id":7}', '[1', '"text"'])
        channel.sendToQueue(work, Buffer.from(text))
    })
    await queue.enqueue([delivery('last')])
    const { handed } = consumeAll(queue, { concurrency: 1 })
    await until(() => has(handed, [delivery('last')]))
    expect(queues.troubles.filter((trouble) => /no delivery/.test(trouble))).to.have.length(5)
    await until(async () => (await queue.status()).waiting === 0)
  })

  it('a limit that differs from that of the existing queue is told of', async () => {
    await enqueueAtLast(queues.open(), 'first')
    const other = queues.open({ deliveryLimit: 7 })
    const error = await caught(other.enqueue([delivery('second')]))
    expect(error).to.be.instanceOf(Unavailable)
    expect((error as Error).message).to.contain('x-delivery-limit')
  })
}
