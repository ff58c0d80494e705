/** MQTT with Mosquitto, a broker that others have made: in plain, and by TLS with a certificate made here. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { mqttSource } from '../../../src/adapters/mqtt/message-source.ts'
import { messageSourceContract } from '../../contracts/message-source.ts'
import { freePort } from '../../engines/free-ports.ts'
import { missing, startMosquitto, type Mosquitto } from '../../engines/mosquitto/start.ts'
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

  describe('by TLS', () => {
    let folder: string
    let broker: Mosquitto
    let ca: string
    let port: number
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'daybook-mqtts-'))
      const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
      const made = ['-keyout', key, '-out', certificate, '-days', '2', '-subj', '/CN=broker.test']
      const named = ['-addext', 'subjectAltName=DNS:broker.test']
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...made, ...named], {
        stdio: 'ignore',
      })
      ca = readFileSync(certificate, 'utf8')
      port = await freePort()
      broker = await startMosquitto([
        `listener ${port} 127.0.0.1`,
        `certfile ${certificate}`,
        `keyfile ${key}`,
      ])
    })
    after(async () => {
      await broker.stop()
      rmSync(folder, { recursive: true })
    })

    const source = (trusted?: string) =>
      mqttSource({
        mayConnect: (_, secure) => secure,
        lookup: async () => [{ address: '127.0.0.1' }],
        ...(trusted !== undefined && { ca: trusted }),
      })

    messageSourceContract(
      async () => ({
        source: source(ca),
        url: `mqtts://broker.test:${port}`,
        publish: (messages) => publish(broker.url, messages),
        stop: async () => {},
      }),
      false,
    )

    const refusal = async (trusted: string | undefined, name: string) => {
      const subscription = {
        url: `mqtts://${name}:${port}`,
        clientId: 'refused',
        user: undefined,
        password: undefined,
        topics: ['#'],
      }
      const taking = {
        subscribed: () => expect.fail('it is connected'),
        take: async () => expect.fail('it takes a message'),
      }
      const said = await source(trusted)
        .receive(subscription, taking, AbortSignal.timeout(20_000))
        .then(
          () => 'nothing',
          (error: unknown) => (error as Error).message,
        )
      return said
    }

    it('does not trust a certificate that Node does not', async () =>
      expect(await refusal(undefined, 'broker.test')).to.match(/self-signed certificate/))

    it('does not trust a certificate of another name', async () =>
      expect(await refusal(ca, 'other.test')).to.match(/altnames|other\.test/))
  })
})
