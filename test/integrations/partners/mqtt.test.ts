/** Readings of sensors by way of a broker. */
import { expect } from 'chai'
import { mqttBroker, type TestBroker } from '../../support/mqtt-broker.ts'
import { publish } from '../../support/mqtt-publisher.ts'
import { testService, type Data, type TestService } from '../../support/service.ts'
import { eventually } from '../../system/support/eventually.ts'
import { LOOPBACK } from '../support/partner.ts'

const [PASSWORD, TOPIC] = ['a password of the broker', 'sensors/cellar']

describe('readings by MQTT', () => {
  let service: TestService
  let broker: TestBroker
  let integration: Data
  let sensor: Data

  before(async () => {
    broker = await mqttBroker(PASSWORD)
    service = await testService({ settings: LOOPBACK })
    sensor = await service.create('sensor', { Name: 'Cellar', SerialNumber: 'urn:dev:ow:1' })
    const made = await service.post('integrations', { Definition: 'mqtt', BaseUrl: broker.url })
    expect(made.status, made.text).to.equal(201)
    integration = made.data
  })
  after(async () => {
    await service.discard()
    await broker.stop()
  })

  const at = (path: string) => `integrations/${integration.Id}${path}`
  const send = (...lists: readonly unknown[]) =>
    publish(
      broker.url,
      lists.map((list) => ({
        topic: TOPIC,
        payload: typeof list === 'string' ? list : JSON.stringify(list),
      })),
      PASSWORD,
    )
  const timed = (bt: number) => [
    { bn: 'urn:dev:ow:1:', bt, n: 'temp', u: 'Cel', v: 21.5 },
    { n: 'temp', t: 1, v: 22 },
  ]
  const total = async () =>
    (await service.list('sensorreading', { filter: `Sensor eq '${sensor.Id}'` })).pagination.TotalRecords
  const connected = () =>
    eventually('it is connected', async () => expect(broker.sessions()).to.include(integration.Id))

  it('says why the broker does not let it in', async () => {
    expect((await service.post(at('/start'))).status).to.equal(200)
    await eventually('it has tried', async () =>
      expect(broker.heard.some(({ cmd }) => cmd === 'connect')).to.equal(true),
    )
    expect(broker.sessions()).to.deep.equal([])
    await eventually('it is failing', async () => {
      const { data } = await service.get(at(''))
      expect(data).to.include({
        State: 'failing',
        Reason:
          'subscribe: the broker refuses the connection: it does not take the user name or the password',
      })
    })
    const given = { Credentials: { user: 'daybook', password: PASSWORD } }
    expect((await service.patch(at(''), given)).status).to.equal(200)
    await connected()
    await eventually('it is well', async () =>
      expect((await service.get(at(''))).data['State']).to.equal('running'),
    )
  })

  it('become records of the sensor, each once', async () => {
    await send(timed(1_800_000_000), timed(1_800_000_010))
    await eventually('all are there', async () => expect(await total()).to.equal(4))
    await send(timed(1_800_000_000), timed(1_800_000_020))
    await eventually('the new ones are there', async () => expect(await total()).to.equal(6))
    const { list } = await service.list('sensorreading', { sort: 'MeasuredAt', pageSize: '1' })
    expect(list[0]).to.include({ Metric: 'Temperature', Value: 21.5, MeasurementUnit: '°C' })
  })

  it('are new, however alike, where they do not say when they were taken', async () => {
    const before = await total()
    const list = [{ bn: 'urn:dev:ow:1:', n: 'temp', v: 20 }]
    await send(list, list, list)
    await eventually('all are there', async () => expect(await total()).to.equal(before + 3))
  })

  it('are taken while it is paused, and applied later', async () => {
    const before = await total()
    await service.post(at('/pause'))
    await connected()
    await send(timed(1_800_000_030))
    await eventually('it is kept', async () => {
      const { list } = await service.list(at('/inbox'), { state: 'stored' })
      expect(list).to.have.length(1)
    })
    expect(await total()).to.equal(before)
    await service.post(at('/start'))
    await eventually('it is applied', async () => expect(await total()).to.equal(before + 2))
  })

  it('wait at the broker while the service is away', async () => {
    const before = await total()
    await service.stop()
    await send(timed(1_800_000_040), timed(1_800_000_050))
    await service.restart()
    await eventually('they are there', async () => expect(await total()).to.equal(before + 4))
  })

  it('are set aside when they are no such list', async () => {
    await send('21.5', 'no JSON')
    await eventually('they are shown', async () => {
      const { list } = await service.list(at('/inbox'), { state: 'rejected' })
      expect(list.map(({ Reason }) => Reason)).to.deep.equal([
        'the body is not senml',
        'the body is not senml',
      ])
    })
  })

  it('can be looked at before any is published', async () => {
    const { list } = await service.post(at('/preview'), { Payload: timed(1_800_000_060) })
    expect(list).to.deep.equal([{ Object: 'sensorreading', Did: 'created', Record: null, Reason: '2 rows' }])
  })

  it('cannot be sent by HTTP', async () => {
    const { status } = await service.send('POST', `in/${integration.Id}/readings`, {
      body: '[]',
      headers: { Authorization: '' },
    })
    expect(status).to.equal(404)
  })

  it('come from addresses that may be connected to, and credentials stay with them', async () => {
    const refused = async (BaseUrl: string) => (await service.patch(at(''), { BaseUrl })).faults
    expect(await refused('https://broker.example.com')).to.deep.equal([
      'BaseUrl: must be an mqtts URL, such as mqtts://broker.example.com:8883',
    ])
    expect(await refused('mqtts://10.0.0.1')).to.deep.equal([
      'BaseUrl: points to an address that deliveries may not reach',
    ])
    expect(await refused('mqtt://93.184.216.34')).to.deep.equal(['BaseUrl: must begin with mqtts://'])
    expect(await refused('mqtts://93.184.216.34/path')).to.deep.equal([
      'BaseUrl: must end with the host and the port',
    ])
    expect(await refused('mqtts://other.example.com')).to.deep.equal([
      'BaseUrl: leads elsewhere: give user, password again, in the same request',
    ])
  })

  it('are not kept for it any more once it is off', async () => {
    await connected()
    await service.post(at('/stop'))
    await eventually('it is forgotten', async () => expect(broker.sessions()).to.deep.equal([]))
  })
})
