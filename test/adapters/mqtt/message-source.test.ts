/** MQTT with a broker of the tests. */
import { expect } from 'chai'
import { mqttSource } from '../../../src/adapters/mqtt/message-source.ts'
import type { Subscription } from '../../../src/ports/sources/message-source.ts'
import { messageSourceContract } from '../../contracts/message-source.ts'
import { mqttBroker, type TestBroker } from '../../support/mqtt-broker.ts'
import { publish } from '../../support/mqtt-publisher.ts'

describe('MQTT', () => {
  messageSourceContract(async () => {
    const broker = await mqttBroker()
    return {
      source: mqttSource({ mayConnect: () => true }),
      url: broker.url,
      publish: (messages) => publish(broker.url, messages),
      stop: () => broker.stop(),
    }
  }, true)

  describe('to a broker', () => {
    let broker: TestBroker
    before(async () => {
      broker = await mqttBroker('a password')
    })
    after(() => broker.stop())

    const receive = (
      more: Partial<Subscription>,
      options: Parameters<typeof mqttSource>[0] = { mayConnect: () => true },
    ) =>
      mqttSource(options)
        .receive(
          {
            url: broker.url,
            clientId: 'client',
            user: 'user',
            password: 'a password',
            topics: ['a/#'],
            ...more,
          },
          { subscribed: () => {}, take: async () => {} },
          AbortSignal.timeout(5_000),
        )
        .then(
          () => 'nothing',
          (error: Error) => error.message,
        )

    it('says why it is refused', async () => {
      expect(await receive({ password: 'another' })).to.equal(
        'the broker refuses the connection: it does not take the user name or the password',
      )
      expect(await receive({ topics: ['secret/#'] })).to.equal(
        'the broker refuses secret/#: it does not allow this',
      )
    })

    it('says that the broker has gone', async () => {
      const gone = receive({ clientId: 'cut' })
      while (!broker.sessions().includes('cut')) await new Promise(setImmediate)
      broker.cut()
      expect(await gone).to.match(/has closed the connection|ECONNRESET/)
    })

    it('connects to no address that it may not, whatever name leads there', async () => {
      const heard = broker.heard.length
      const { port } = new URL(broker.url)
      const guarded = { mayConnect: () => false }
      const words = (host: string) => `${host} leads to no address that may be connected to`
      expect(await receive({}, guarded)).to.equal(words('127.0.0.1'))
      const inside = `mqtts://inside.example.com:${port}`
      const lookup = async () => [{ address: '127.0.0.1' }]
      expect(await receive({ url: inside }, { ...guarded, lookup })).to.equal(words('inside.example.com'))
      expect(await receive({ url: `mqtt://2130706433:${port}` }, guarded)).to.equal(words('2130706433'))
      expect(broker.heard.length).to.equal(heard)
    })
  })
})
