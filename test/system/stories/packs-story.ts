/** Append-only objects: what comes in one request is one event, and every read shows rows. On any engines. */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { startReceiver } from '../../webhooks/receiver.ts'
import type { Answer, Client } from '../../support/service.ts'
import { eventually } from '../support/eventually.ts'

const SECRET = 'a-secret-of-some-length-0123456789'

/** @param service with `WEBHOOK_ALLOW_ADDRESSES` for the loopback */
export function packsStory(service: () => Client): void {
  let sensor: string

  beforeEach(async () => {
    sensor = (await service().create('sensor', { Name: 'Cellar', MeasurementUnit: '°C' })).Id
  })

  const reading = (minute: number, more: Fields = {}) => ({
    Sensor: sensor,
    MeasuredAt: `2026-01-31T10:${String(minute).padStart(2, '0')}:00Z`,
    Value: minute / 2,
    ...more,
  })
  const batch = async (Records: readonly unknown[], headers = {}): Promise<Answer> => {
    const answer = await service().post('sensorreading/batch', { Records }, headers)
    expect(answer.status, answer.text).to.equal(200)
    return answer
  }
  const ofSensor = (more = {}) =>
    service().list('sensorreading', { filter: `Sensor eq '${sensor}'`, sort: 'MeasuredAt', ...more })

  /** The next millisecond, or a later one. */
  const later = async (): Promise<Date> => {
    const now = Date.now()
    return eventually('time passes', () =>
      Date.now() > now ? Promise.resolve(new Date()) : Promise.reject(new Error('it stands')),
    )
  }

  it('shows each row of a batch in lists, gets, filters, histories and the warehouse', async () => {
    const { list: rows, headers } = await batch([
      reading(1),
      { Value: 'warm' },
      reading(3, { Raw: { n: [1] } }),
    ])
    expect(rows.map(({ Status }) => Status)).to.deep.equal([201, 400, 201])
    const keys = [rows[0]!.Id, rows[2]!.Id]
    expect((await ofSensor()).list.map(({ Id, Value }) => [Id, Value])).to.deep.equal([
      [keys[0], 0.5],
      [keys[1], 1.5],
    ])
    const found = await ofSensor({ filter: `Sensor eq '${sensor}' and Value gt 1` })
    expect(found.list.map(({ Id }) => Id)).to.deep.equal([keys[1]])
    const got = await service().get(`sensorreading/${keys[1]}`)
    expect(got.headers.get('etag')).to.equal('"1"')
    expect(got.data).to.deep.include({
      Quality: 'Good',
      Raw: { n: [1] },
      Sensor: { Id: sensor, Name: 'Cellar' },
    })
    const history = (await service().get(`sensorreading/${keys[1]}/history`)).list
    expect(history).to.have.length(1)
    expect(history[0]).to.deep.include({ Version: 1, Event: 'sensorreading.created' })
    const at = headers.get('daybook-position')!
    const counted = await service().post(
      'warehouse/query',
      {
        Sql: `SELECT count(*) AS n, sum("Value") AS s FROM "wh_FacilityManagement_SensorReading" WHERE "Sensor" = '${sensor}'`,
      },
      { 'Daybook-At-Least': at },
    )
    expect(counted.text).to.contain('[[2,2]]')
  })

  it('gives a row that is changed after all a history of its own, with version 2', async () => {
    const { list: rows } = await batch([reading(1), reading(2), reading(3)])
    const [first, second, third] = rows.map(({ Id }) => Id) as [string, string, string]
    const patched = await service().patch(
      `sensorreading/${second}`,
      { Quality: 'Bad' },
      { 'If-Match': '"1"' },
    )
    expect(patched.status, patched.text).to.equal(200)
    expect(patched.headers.get('etag')).to.equal('"2"')
    expect(
      (await service().patch(`sensorreading/${second}`, { Value: 1 }, { 'If-Match': '"1"' })).status,
    ).to.equal(412)
    expect((await service().delete(`sensorreading/${third}`)).status).to.be.oneOf([200, 204])
    expect((await ofSensor()).list.map(({ Id, Quality }) => [Id, Quality])).to.deep.equal([
      [first, 'Good'],
      [second, 'Bad'],
    ])
    const history = (await service().get(`sensorreading/${second}/history`)).list
    expect(history.map(({ Version, Event }) => [Version, Event])).to.deep.equal([
      [1, 'sensorreading.created'],
      [2, 'sensorreading.updated'],
    ])
    expect(history[1]!['Changes']).to.deep.equal({ Quality: { From: 'Good', To: 'Bad' } })
    const past = await service().get(`sensorreading/${second}?asOf=1`)
    expect(past.data['Quality']).to.equal('Good')
    const restored = await service().post(`sensorreading/${third}/restore`)
    expect(restored.status, restored.text).to.be.oneOf([200, 201])
    expect((await ofSensor()).pagination.TotalRecords).to.equal(3)
  })

  it('shows rows as of a moment, and in the feed of changes', async () => {
    const { json } = await service().get('sensorreading/changes?since=now')
    const { list: rows } = await batch([reading(1), reading(2)])
    const moment = (await later()).toISOString()
    await later()
    await service().patch(`sensorreading/${rows[0]!.Id}`, { Quality: 'Uncertain' })
    const past = await ofSensor({ asOf: moment })
    expect(past.list.map(({ Quality }) => Quality)).to.deep.equal(['Good', 'Good'])
    const changes = await service().get(`sensorreading/changes?since=${json['Next'] as string}`)
    expect(changes.list.map(({ Id, Quality }) => [Id, Quality])).to.have.deep.members([
      [rows[1]!.Id, 'Good'],
      [rows[0]!.Id, 'Uncertain'],
    ])
  })

  it('stores a repeated request once', async () => {
    const headers = { 'Idempotency-Key': sensor }
    const one = await batch([reading(1), reading(2)], headers)
    const two = await batch([reading(1), reading(2)], headers)
    expect(two.list).to.deep.equal(one.list)
    expect((await ofSensor()).pagination.TotalRecords).to.equal(2)
  })

  it('sends one event a row to subscribers', async () => {
    const receiver = await startReceiver()
    try {
      const hook = { Url: `${receiver.url}/hook`, Events: ['sensorreading.*'], Secret: SECRET }
      const { data } = await service().post('webhooks', hook)
      const { list: rows } = await batch([reading(1), reading(2), reading(3)])
      const got = await receiver.got(3)
      expect(got.map(({ json }) => [json.Event, json.Data['Version']])).to.deep.equal([
        ['sensorreading.created', 1],
        ['sensorreading.created', 1],
        ['sensorreading.created', 1],
      ])
      expect(got.map(({ json }) => json.Data['Id'])).to.have.members(rows.map(({ Id }) => Id))
      expect(new Set(got.map(({ headers }) => headers['webhook-id']))).to.have.property('size', 3)
      await service().delete(`webhooks/${data.Id}`)
    } finally {
      await receiver.stop()
    }
  })
}
