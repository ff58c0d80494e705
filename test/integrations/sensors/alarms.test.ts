/** Readings beyond the limits of their sensor, and the work orders that they lead to. */
import { expect } from 'chai'
import { eventually } from '../../system/support/eventually.ts'
import { testService, type Data, type TestService } from '../../support/service.ts'

describe('sensors beyond their limits', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  const sensorOf = (Name: string, more = {}) =>
    service.create('sensor', {
      Name,
      SensorType: 'Temperature',
      UpperLimit: 30,
      Hysteresis: 2,
      MeasurementUnit: '°C',
      ...more,
    })
  /** Minutes ago, and what was measured. */
  const measure = (sensor: Data, readings: readonly (readonly [number, number])[], Metric = 'Temperature') =>
    service.post('sensorreading/batch', {
      Records: readings.map(([ago, Value]) => ({
        Sensor: sensor.Id,
        Metric,
        MeasuredAt: `${new Date(Date.now() - ago * 60_000).toISOString().slice(0, 19)}Z`,
        Value,
      })),
    })
  const orders = async () => (await service.list('workorder', { sort: 'CreatedAt' })).list
  const now = async (sensor: Data) => (await service.get(`sensor/${sensor.Id}`)).data
  const until = (sensor: Data, AlarmState: string) =>
    eventually(`it is ${AlarmState}`, async () => {
      const data = await now(sensor)
      expect(data['AlarmState']).to.equal(AlarmState)
      return data
    })
  const heardOf = (sensor: Data) =>
    eventually('it was heard of', async () => expect((await now(sensor))['LastSeenAt']).to.be.a('string'))

  it('have one work order an alarm, however their values waver', async () => {
    const building = await service.create('building', { Name: 'Mill' })
    const sensor = await sensorOf('Boiler room', { Building: building.Id })
    await measure(sensor, [
      [60, 25],
      [59, 31.5],
      [58, 29],
      [57, 30.5],
    ])
    const { AlarmSince, AlarmWorkOrder } = await until(sensor, 'Raised')
    expect(AlarmSince).to.be.a('string')
    const [order, ...others] = await orders()
    expect(others).to.deep.equal([])
    expect(order).to.include({
      Title: 'Boiler room: 31.5 °C is above 30 °C',
      Priority: 'High',
      Status: 'New',
    })
    expect((order!['Building'] as Data).Id).to.equal(building.Id)
    expect((AlarmWorkOrder as unknown as Data).Id).to.equal(order!.Id)

    await measure(sensor, [[50, 31]])
    await measure(sensor, [[49, 27]])
    expect((await until(sensor, 'Normal'))['AlarmSince']).to.equal(null)
    expect((await orders()).map(({ Status }) => Status)).to.deep.equal(['New'])
    // The work of the first alarm is not done yet: it is the same work.
    await measure(sensor, [[40, 35]])
    await until(sensor, 'Raised')
    expect(await orders()).to.have.length(1)
    await measure(sensor, [[30, 20]])
    await until(sensor, 'Normal')
    await service.post(`workorder/${order!.Id}/workflow/complete`)
    await measure(sensor, [[20, 36]])
    await until(sensor, 'Raised')
    expect((await orders()).map(({ Title }) => Title)).to.deep.equal([
      'Boiler room: 31.5 °C is above 30 °C',
      'Boiler room: 36 °C is above 30 °C',
    ])
  })

  it('are not judged by what comes late, nor by what else they measure', async () => {
    const sensor = await sensorOf('Attic')
    const before = (await orders()).length
    await measure(sensor, [[10, 20]])
    await heardOf(sensor)
    await measure(sensor, [[30, 50]])
    await measure(sensor, [[5, 80]], 'Humidity')
    await measure(sensor, [[1, 32]])
    await until(sensor, 'Raised')
    const all = await orders()
    expect(all).to.have.length(before + 1)
    expect(all.at(-1)!['Title']).to.equal('Attic: 32 °C is above 30 °C')
  })

  it('give an alarm when their time is over, also if nothing more is heard of them', async () => {
    const sensor = await sensorOf('Cold store', { UpperLimit: 8, AlarmAfter: 2 })
    await measure(sensor, [[0, 12]])
    await until(sensor, 'Raised')
    const order = (await orders()).at(-1)!
    expect(order['Title']).to.equal('Cold store is beyond its limit')
  })

  it('say when they were last heard of, and not with every reading', async () => {
    const sensor = await sensorOf('Hall')
    await measure(sensor, [[9, 20]])
    await heardOf(sensor)
    const { Version } = (await service.get(`sensor/${sensor.Id}/history`)).list.at(-1) as unknown as {
      Version: number
    }
    await measure(sensor, [
      [8, 20],
      [7, 21],
    ])
    await measure(sensor, [[6, 31]])
    await until(sensor, 'Raised')
    const history = await service.get(`sensor/${sensor.Id}/history`)
    expect(history.list.at(-1)!['Version']).to.equal(Version + 1)
  })
})
