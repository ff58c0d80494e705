/** MQTT with Mosquitto, a broker that others have made. */
import { mqttSource } from '../../../src/adapters/mqtt/message-source.ts'
import { messageSourceContract } from '../../contracts/message-source.ts'
import { missing, startMosquitto } from '../../engines/mosquitto/start.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { publish } from '../../support/mqtt-publisher.ts'

suiteOf('MQTT with Mosquitto', missing)('MQTT with Mosquitto', () => {
  messageSourceContract(async () => {
    const broker = await startMosquitto()
    return {
      source: mqttSource({ mayConnect: () => true }),
      url: broker.url,
      publish: (messages) => publish(broker.url, messages),
      stop: () => broker.stop(),
    }
  }, false)
})
