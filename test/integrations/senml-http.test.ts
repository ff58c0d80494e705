/** Readings of sensors, as gateways send them. */
import { expect } from 'chai'
import { eventually } from '../system/support/eventually.ts'
import { testService, type Data, type TestService } from '../support/service.ts'

const GATEWAY = 'a-token-of-the-gateway-0123456789'

describe('readings over HTTP', () => {
  let service: TestService
  let integration: Data
  let sensor: Data

  before(async () => {
    service = await testService()
    const made = await service.post('integrations', {
      Definition: 'senml-http',
      Credentials: { token: GATEWAY },
    })
    expect(made.status, made.text).to.equal(201)
    integration = made.data
    expect((await service.post(`integrations/${integration.Id}/start`)).status).to.equal(200)
    sensor = await service.create('sensor', { Name: 'Cellar', SerialNumber: 'urn:dev:ow:1' })
  })
  after(() => service.discard())

  const send = (list: unknown, token = GATEWAY) =>
    service.send('POST', `in/${integration.Id}/readings`, {
      body: JSON.stringify(list),
      headers: { 'Content-Type': 'application/senml+json', Authorization: `Bearer ${token}` },
    })
  const list = (bt: number, count: number, bn = 'urn:dev:ow:1:') => [
    { bn, bt, bu: 'Cel', n: 'temp', v: 0 },
    ...Array.from({ length: count - 1 }, (_, n) => ({ n: 'temp', t: n + 1, v: (n + 1) / 10 })),
  ]
  const total = async (filter = `Sensor eq '${sensor.Id}'`) =>
    (await service.list('sensorreading', { filter })).pagination.TotalRecords
  const settled = (state: string, count: number) =>
    eventually(`${count} are ${state}`, async () => {
      const { list: rows } = await service.list(`integrations/${integration.Id}/inbox`, { state })
      expect(rows.length).to.equal(count)
      return rows
    })

  it('become records of the sensor, many in one event', async () => {
    const streams = service.streams().length
    expect((await send(list(1_800_000_000, 700))).status).to.equal(200)
    await eventually('all are there', async () => expect(await total()).to.equal(700))
    const packs = service
      .streams()
      .filter((name) => service.eventsOf(name)[0]?.type === 'sensorreading.packed')
    expect(packs).to.have.length(2)
    expect(service.streams().length - streams).to.equal(2)
    const { list: last } = await service.list('sensorreading', { sort: '-MeasuredAt', pageSize: '1' })
    expect(last[0]).to.include({ Metric: 'Temperature', Value: 69.9, MeasurementUnit: '°C' })
    expect(last[0]!['MeasuredAt']).to.equal('2027-01-15T08:11:39Z')
    const history = await service.get(`sensorreading/${last[0]!.Id}/history`)
    expect(history.list[0]!['By']).to.include({ Name: 'Sensors (integration)' })
  })

  it('are there once, however often a gateway sends them', async () => {
    const before = await total()
    for (let n = 0; n < 3; n++) expect((await send(list(1_800_100_000, 10))).status).to.equal(200)
    await eventually('they are there', async () => expect(await total()).to.equal(before + 10))
    const rows = await settled('applied', 2)
    expect(
      (await service.post(`integrations/${integration.Id}/inbox/${rows[0]!.Id}/retry`)).status,
    ).to.be.below(300)
    await settled('applied', 2)
    expect(await total()).to.equal(before + 10)
  })

  it('wait for a sensor that is not known yet; the others are kept', async () => {
    const before = await total()
    const both = [...list(1_800_200_000, 3), ...list(1_800_200_000, 2, 'urn:dev:ow:new:')]
    expect((await send(both)).status).to.equal(200)
    const [row] = await settled('rejected', 1)
    expect(row!['Reason']).to.equal('2 rows: there is not one sensor whose SerialNumber is "urn:dev:ow:new"')
    expect(await total()).to.equal(before + 3)
    const other = await service.create('sensor', { Name: 'Roof', SerialNumber: 'urn:dev:ow:new' })
    await service.post(`integrations/${integration.Id}/inbox/${row!.Id}/retry`)
    await settled('rejected', 0)
    await eventually('they are there', async () => expect(await total(`Sensor eq '${other.Id}'`)).to.equal(2))
    expect(await total()).to.equal(before + 3)
  })

  it('are refused without the token, and set aside when they are no such list', async () => {
    expect((await send(list(1, 1), 'another-token')).status).to.equal(401)
    expect((await send([{ n: 'a', v: 'warm' }])).status).to.equal(200)
    const [row] = await settled('rejected', 1)
    expect(row!['Reason']).to.equal('the body is not senml')
  })

  it('can be looked at before anything is sent', async () => {
    const before = await total()
    const Payload = list(1_800_300_000, 2)
    const { list: results } = await service.post(`integrations/${integration.Id}/preview`, { Payload })
    expect(results).to.deep.equal([
      { Object: 'sensorreading', Did: 'created', Record: null, Reason: '2 rows' },
    ])
    const other = { Payload: [{ n: 'a', v: 'warm' }] }
    const refused = await service.post(`integrations/${integration.Id}/preview`, other)
    expect([refused.status, ...refused.faults]).to.deep.equal([400, 'Payload: is not senml'])
    expect(await total()).to.equal(before)
  })
})
