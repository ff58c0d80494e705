/**
 * What happens to hints over RabbitMQ when things go wrong with the broker or on the way to it. The broker has to be one
 * that tests may kill.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { Unavailable } from '../../../src/domain/errors.ts'
import { caught, has, hint, hints, listenTo, until } from '../../contracts/hints/listening.ts'
import type { RabbitMq } from '../../engines/rabbitmq/start.ts'
import { tcpProxy } from '../../support/tcp-proxy.ts'
import { asOperator, publishAtLast, queuesOn, refusesBeforeLong } from './queues.ts'

export function rabbitmqFaults(broker: () => RabbitMq): void {
  const queues = queuesOn(() => broker().url)

  describe('a broker that is killed', () => {
    it('is reached again, with what it has confirmed', async () => {
      const one = queues.open()
      await publishAtLast(one, 'first')
      // The broker writes down where a new queue's log is a moment after the queue was declared.
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      await one.publish(hints(200))
      await broker().kill()
      await refusesBeforeLong(one)
      await broker().start()
      const { handed } = listenTo(one)
      await publishAtLast(one, 'new')
      await until(() => has(handed, [...hints(200), hint('new')]))
    })

    it('and its data deleted, has its queues again and takes what the sweep publishes', async () => {
      const one = queues.open()
      await publishAtLast(one, 'first')
      await broker().kill()
      await refusesBeforeLong(one)
      expect((await one.status()).state).to.equal('unreachable')
      broker().deleteData()
      await broker().start()
      const { handed } = listenTo(one)
      await publishAtLast(one, 'again')
      await until(() => has(handed, [hint('again')]))
    })

    it('refuses at once while it is known to be away', async () => {
      const timeoutMs = 10_000
      const one = queues.open({ timeoutMs })
      await publishAtLast(one, 'first')
      await broker().kill()
      await refusesBeforeLong(one)
      const since = performance.now()
      for (const each of hints(20)) expect(await caught(one.publish([each]))).to.be.instanceOf(Unavailable)
      expect(performance.now() - since).to.be.below(timeoutMs)
      await broker().start()
      await publishAtLast(one, 'last')
    })
  })

  describe('a queue that is gone', () => {
    it('makes publishing fail, not succeed, and is declared again', async () => {
      const one = queues.open()
      await publishAtLast(one, 'first')
      await asOperator(broker().url, (channel) => channel.deleteQueue(queues.topology().due))
      expect(await caught(one.publish([hint('nowhere')]))).to.be.instanceOf(Unavailable)
      expect(queues.troubles.join()).to.contain('has lost the queue of hints')
      await publishAtLast(one, 'somewhere')
      const { handed } = listenTo(one)
      await until(() => has(handed, [hint('somewhere')]))
      expect(handed).to.not.deep.include(hint('nowhere'))
    })

    it('makes listeners come back for the next one', async () => {
      const one = queues.open()
      const { handed } = listenTo(one)
      await publishAtLast(one, 'first')
      await until(() => has(handed, [hint('first')]))
      await asOperator(broker().url, (channel) => channel.deleteQueue(queues.topology().due))
      await publishAtLast(one, 'next')
      await until(() => has(handed, [hint('next')]))
    })
  })

  it('a broker that takes no messages refuses within a bound, and listeners go on', async () => {
    const one = queues.open()
    await publishAtLast(one, 'first')
    await one.publish(hints(200))
    await broker().control('set_vm_memory_high_watermark', '0.0000001')
    await refusesBeforeLong(one)
    await until(async () => (await one.status()).state === 'blocked')
    expect(queues.troubles.join()).to.contain('takes no messages')
    const { handed } = listenTo(one)
    await until(() => has(handed, hints(200)))
    await broker().control('set_vm_memory_high_watermark', '0.4')
    await publishAtLast(one, 'at last')
    await until(() => has(handed, [hint('at last')]))
    expect((await one.status()).state).to.equal('open')
  })

  describe('a connection that carries nothing any more', () => {
    it('hangs no call, and is replaced', async () => {
      const proxy = await tcpProxy({ port: broker().port })
      const one = queues.open({ url: `amqp://127.0.0.1:${proxy.port}` })
      await publishAtLast(one, 'before')
      proxy.swallow()
      expect(await caught(one.publish([hint('into the hole')]))).to.be.instanceOf(Unavailable)
      await publishAtLast(one, 'after')
      proxy.swallow()
      expect((await one.status()).state).to.equal('unreachable')
      proxy.swallow()
      await one.close()
      await proxy.stop()
    })

    it('is noticed by listeners by its lack of a heartbeat', async () => {
      const proxy = await tcpProxy({ port: broker().port })
      const { handed, listening } = listenTo(
        queues.open({ url: `amqp://127.0.0.1:${proxy.port}?heartbeat=1` }),
      )
      const one = queues.open()
      await publishAtLast(one, 'before')
      await until(() => has(handed, [hint('before')]))
      proxy.swallow()
      await one.publish([hint('after')])
      await until(() => has(handed, [hint('after')]))
      proxy.swallow()
      await listening.stop()
      await proxy.stop()
    })

    it('need not have answered at all', async () => {
      const silent = createServer().listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const sockets = new Set<{ destroy(): void }>()
      silent.on('connection', (socket) => sockets.add(socket))
      const one = queues.open({ url: `amqp://127.0.0.1:${(silent.address() as AddressInfo).port}` })
      const { listening } = listenTo(one)
      expect(await caught(one.publish([hint('unheard')]))).to.be.instanceOf(Unavailable)
      expect((await one.status()).state).to.equal('unreachable')
      await listening.stop()
      await one.close()
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
  })

  it('a message that is not a hint is dropped and reported, and holds nothing up', async () => {
    const one = queues.open()
    await publishAtLast(one, 'first')
    const { due } = queues.topology()
    await asOperator(broker().url, async (channel) => {
      for (const text of ['', 'null', '{"endpoint":7}', '[1', '"text"'])
        channel.sendToQueue(due, Buffer.from(text))
    })
    await one.publish([hint('last')])
    const { handed } = listenTo(one, { concurrency: 1 })
    await until(() => has(handed, [hint('last')]))
    expect(queues.troubles.filter((trouble) => /not a hint/.test(trouble))).to.have.length(5)
    await until(async () => (await one.status()).waiting === 0)
  })

  it('two prefixes share nothing', async () => {
    const [one, other] = [queues.open(), queues.open({ prefix: `${queues.prefix}-b` })]
    await publishAtLast(other, 'theirs')
    await publishAtLast(one, 'ours')
    const { handed } = listenTo(one)
    await until(() => has(handed, [hint('ours')]))
    expect(handed).to.deep.equal([hint('ours')])
    expect((await other.status()).waiting).to.equal(1)
  })

  it('a hint that handler after handler dies over is put aside in the end', async () => {
    const one = queues.open()
    await publishAtLast(one, 'deadly')
    await until(async () => {
      // Taken and not acknowledged when the channel ends: as by a process that dies.
      await asOperator(broker().url, (channel) => channel.get(queues.topology().due))
      return (await one.status()).abandoned === 1
    })
    expect(await one.status()).to.deep.equal({ state: 'open', waiting: 0, abandoned: 1 })
  })
}
