/**
 * The delivery queue on RabbitMQ: its contract, what its URL can say, what happens when things go wrong; and the delay
 * ladder, which needs no broker.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  bindingKey,
  delayBy,
  delayRoute,
  LEVELS,
  timeToLive,
} from '../../../src/adapters/rabbitmq/delay-ladder.ts'
import { rabbitmqDeliveryQueue } from '../../../src/adapters/rabbitmq/delivery-queue.ts'
import { LONGEST_DELAY_MS } from '../../../src/ports/delivery-queue.ts'
import { deliveryQueueContract } from '../../contracts/delivery-queue.ts'
import { NOT_TESTED, rabbitmqUnderTest } from '../../engines/rabbitmq-under-test.ts'
import { rabbitmqAddresses } from './addresses.ts'
import { rabbitmqFaults } from './faults.ts'

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

const broker = rabbitmqUnderTest()

if (!broker?.canFail)
  console.log(`\nNOT TESTED: the delivery queue on RabbitMQ when things go wrong (${NOT_TESTED})\n`)
if (!broker) {
  console.log(`\nNOT TESTED: the delivery queue on RabbitMQ (set RABBITMQ_URL, or ${NOT_TESTED})\n`)
  it(`the delivery queue on RabbitMQ: set RABBITMQ_URL, or ${NOT_TESTED}`)
} else
  describe(`the delivery queue on ${broker.name}`, function () {
    this.timeout(120_000)
    before(() => broker.start())
    after(() => broker.stop())

    describe('keeps the contract:', () => {
      deliveryQueueContract({
        adapter: {
          module: import.meta.resolve('../../../src/adapters/rabbitmq/delivery-queue.ts'),
          opens: 'rabbitmqDeliveryQueue',
        },
        // Nobody kills this broker meanwhile.
        newPlace: async (settings) => ({
          url: broker.url(),
          prefix: broker.newPrefix(),
          settleMs: 0,
          ...settings,
        }),
      })
      // After the contract's own, which closes the queues.
      afterEach(() => broker.clean())
    })

    if (!broker.canFail) return
    describe('is told by its URL', () => rabbitmqAddresses(broker.own))
    describe('when things go wrong:', () => rabbitmqFaults(broker.own))
  })
