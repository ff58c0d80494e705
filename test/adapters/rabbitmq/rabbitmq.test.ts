/** Hints over RabbitMQ: their contract, what the URL can say, and what happens when things go wrong. */
import { expect } from 'chai'
import { rabbitmqHints } from '../../../src/adapters/rabbitmq/hints.ts'
import type { Hints } from '../../../src/ports/hints.ts'
import { hintsContract } from '../../contracts/hints.ts'
import { NOT_TESTED, rabbitmqUnderTest } from '../../engines/rabbitmq-under-test.ts'
import { rabbitmqAddresses } from './addresses.ts'
import { rabbitmqFaults } from './faults.ts'

describe('the URL of RabbitMQ', () => {
  for (const url of ['', 'localhost', 'http://localhost', 'amqp:///vhost'])
    it(`cannot be ${JSON.stringify(url)}, and is not repeated`, () => {
      expect(() => rabbitmqHints({ url, onTrouble: () => {} })).to.throw(/must be amqp:/)
    })
})

const broker = rabbitmqUnderTest()

if (!broker?.canFail) console.log(`\nNOT TESTED: hints over RabbitMQ when things go wrong (${NOT_TESTED})\n`)
if (!broker) {
  console.log(`\nNOT TESTED: hints over RabbitMQ (set RABBITMQ_URL, or ${NOT_TESTED})\n`)
  it(`hints over RabbitMQ: set RABBITMQ_URL, or ${NOT_TESTED}`)
} else
  describe(`hints over ${broker.name}`, function () {
    this.timeout(120_000)
    before(() => broker.start())
    after(() => broker.stop())

    describe('keep the contract:', () => {
      let opened: Hints[] = []
      afterEach(async () => {
        await Promise.all(opened.map((hints) => hints.close()))
        opened = []
        await broker.clean()
      })
      hintsContract(async () => {
        const hints = rabbitmqHints({ url: broker.url(), prefix: broker.newPrefix(), onTrouble: () => {} })
        opened.push(hints)
        return hints
      })
    })

    if (!broker.canFail) return
    describe('go where the URL says:', () => rabbitmqAddresses(broker.own))
    describe('when things go wrong:', () => rabbitmqFaults(broker.own))
  })
