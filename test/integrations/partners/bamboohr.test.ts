/** Employees of BambooHR: taken over once whatever comes twice or is lost, managers as they come, telephones sent there. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { seededRandom } from '../../support/random.ts'
import { testService, type TestService } from '../../support/service.ts'
import { manualClock } from '../../support/write-side.ts'
import { AT_ONCE } from '../dropped-answers.ts'
import { LOOPBACK, partner, type Asked, type Partner, type Reply } from '../support/partner.ts'
import { untilPassing } from '../support/passing.ts'

const SHOWN =
  'employeeNumber,displayName,firstName,lastName,workEmail,jobTitle,department,hireDate,status,supervisorEId'

describe('employees of BambooHR', function () {
  this.timeout(60_000)
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  const { next: random } = seededRandom(5)
  const people = new Map<string, Fields>()
  const written: Fields[] = []
  let lostOf100 = 0
  let service: TestService
  let other: Partner
  let integration: string

  const now = () => new Date(clock.now()).toISOString().replace(/\.\d+Z$/, '+00:00')
  const keep = (id: string, fields: Fields) =>
    void people.set(id, { status: 'Active', ...people.get(id), ...fields, id, lastChanged: now() })

  const answer = (asked: Asked): Reply => {
    const basic = Buffer.from((asked.headers.authorization ?? '').slice(6), 'base64').toString()
    if (basic !== 'key:x') return { status: 401 }
    const isDropped = random() * 100 < lostOf100
    return { ...replyTo(asked), isDropped }
  }
  const replyTo = ({ method, path, query, body }: Asked): Reply => {
    if (path === '/v1/employees/changed') {
      const since = Date.parse(query.get('since') ?? '')
      const changed = [...people.values()].filter((one) => Date.parse(one['lastChanged'] as string) >= since)
      const shown = changed.map(({ id, lastChanged }) => [id, { id, action: 'Updated', lastChanged }])
      return Number.isNaN(since)
        ? { status: 400 }
        : { json: { employees: Object.fromEntries(shown) as Fields } }
    }
    const [, id = ''] = /^\/v1\/employees\/(\d+)$/.exec(path) ?? []
    const person = people.get(id)
    if (!person) return { status: 404 }
    if (method === 'POST') {
      const sent = JSON.parse(body) as Fields
      written.push({ id, ...sent })
      keep(id, sent)
      return {}
    }
    expect(query.get('fields')).to.equal(SHOWN)
    return {
      json: { id, ...Object.fromEntries(SHOWN.split(',').map((name) => [name, person[name] ?? null])) },
    }
  }

  before(async () => {
    other = await partner(answer)
    service = await testService({ settings: { ...LOOPBACK, ...AT_ONCE }, clock })
    const made = await service.post('integrations', {
      Definition: 'bamboohr',
      BaseUrl: other.url,
      Credentials: { apiKey: 'key', password: 'x', webhookKey: 'private' },
    })
    expect(made.status, made.text).to.equal(201)
    integration = made.data.Id
  })
  after(async () => {
    await service.discard()
    await other.stop()
  })

  const until = untilPassing(clock, 120_000)
  const employee = async (number: string) =>
    (await service.list('employee', { filter: `EmployeeNumber eq '${number}'` })).list[0]!
  const notified = async (ids: readonly string[]) => {
    const body = JSON.stringify({ employees: ids.map((id) => ({ id, action: 'Updated', timestamp: now() })) })
    const timestamp = String(Math.floor(clock.now() / 1_000))
    const signature = createHmac('sha256', 'private')
      .update(body + timestamp)
      .digest('hex')
    const headers = {
      'X-BambooHR-Signature': signature,
      'X-BambooHR-Timestamp': timestamp,
      'Content-Type': 'application/json',
      Authorization: '',
    }
    return service.send('POST', `in/${integration}/events`, { body, headers })
  }

  it('are there once each, though answers are lost, with a manager who comes after his people', async () => {
    lostOf100 = 10
    for (let number = 1; number <= 10; number++)
      keep(String(100 + number), {
        employeeNumber: `E${number}`,
        displayName: `Person ${number}`,
        supervisorEId: number === 1 ? null : 'E99',
      })
    clock.pass(1_000)
    expect((await service.post(`integrations/${integration}/start`)).status).to.equal(200)
    await until('10 are here', async () =>
      expect((await service.list('employee')).pagination.TotalRecords).to.equal(10),
    )
    expect((await employee('E5'))['Manager']).to.equal(null)
    keep('199', { employeeNumber: 'E99', displayName: 'The Manager' })
    clock.pass(900_000)
    await until('they have a manager', async () => {
      const { pagination } = await service.list('employee', { filter: "Manager/Name eq 'The Manager'" })
      expect(pagination.TotalRecords).to.equal(9)
    })
    expect((await service.list('employee')).pagination.TotalRecords).to.equal(11)
    lostOf100 = 0
  })

  it('who leave there are marked here and not deleted, once for a change that is notified twice', async () => {
    keep('105', { status: 'Inactive' })
    expect((await notified(['105'])).status).to.equal(200)
    expect((await notified(['105', '106'])).status).to.equal(200)
    await until('he has left', async () => expect(await employee('E5')).to.include({ Status: 'Left' }))
    const { Id } = await employee('E5')
    const { list } = await service.get(`employee/${Id}/history`)
    expect(list.filter((event) => JSON.stringify(event).includes('"Left"'))).to.have.length(1)
    const forged = await service.send('POST', `in/${integration}/events`, {
      body: { employees: [{ id: '106' }] },
      headers: {
        'X-BambooHR-Signature': 'aa',
        'X-BambooHR-Timestamp': String(clock.now() / 1_000),
        Authorization: '',
      },
    })
    expect(forged.status).to.equal(401)
  })

  it('have the telephone and workplace there that they have here, and nothing else of ours', async () => {
    const building = await service.create('building', { Name: 'Head office' })
    const { Id } = await employee('E7')
    await service.patch(`employee/${Id}`, { Phone: '+47 1', Workplace: building.Id })
    await until('it is there', async () => expect(written).to.have.length(1))
    expect(written[0]).to.deep.equal({ id: '107', workPhone: '+47 1', location: 'Head office' })
    await service.patch(`employee/${Id}`, { CostCentre: '12' })
    // Theirs: a poll of the change that we have made ourselves changes nothing.
    const before = (await employee('E7'))['ModifiedAt']
    clock.pass(900_000)
    await until('it was polled', async () => {
      const { list } = await service.get(`integrations/${integration}/inbox?pageSize=1`)
      expect(list[0]!['Source']).to.match(/^107\|/)
      expect(list[0]!['State']).to.equal('applied')
    })
    expect((await employee('E7'))['ModifiedAt']).to.equal(before)
    expect(written).to.have.length(1)
    // One who is not there is not sent.
    const own = await service.create('employee', { EmployeeNumber: 'X1', Name: 'Only here' })
    await service.patch(`employee/${own.Id}`, { Phone: '2' })
    await until('it is passed over', async () => {
      const { list } = await service.get(`integrations/${integration}/sent?state=skipped`)
      expect(list[0]).to.include({ Record: own.Id, Reason: 'the other system does not know it' })
    })
  })
})
