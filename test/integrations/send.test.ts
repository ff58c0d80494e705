/** What integrations send: each change once, nothing back to where it came from, and what both sides change. */
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import { eventually } from '../system/support/eventually.ts'
import { seededRandom } from '../support/random.ts'
import type { Data, TestService } from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'
import { AT_ONCE, BY_FIND, BY_KEY, lossyBooks, sendInvoices } from './dropped-answers.ts'
import { DIRECTORY, sendPeople, WITH_KEY } from './support/both-ways.ts'
import { serviceWith } from './support/own-file.ts'
import { partner, type Asked, type Partner, type Reply } from './support/partner.ts'

describe('an integration that sends', () => {
  for (const [how, file] of [
    ['by the key of a request', BY_KEY],
    ['by asking first', BY_FIND],
  ] as const)
    it(`sends each record once to a partner that loses answers, ${how}`, async function () {
      this.timeout(60_000)
      const dropping = { invoices: 60, lostOf100: 20, random: seededRandom(7).next }
      const books = await lossyBooks(dropping, file === BY_KEY)
      const service = await serviceWith(file, { settings: AT_ONCE })
      try {
        await sendInvoices(service, file.integration, books, dropping)
        expect(books.lost()).to.be.above(5)
        expect(books.kept[0]!.body).to.include({ tenant: 'Ann' })
      } finally {
        await service.discard()
        await books.partner.stop()
      }
    })
})

const both = {
  ...DIRECTORY,
  receive: DIRECTORY.receive.map((one) => ({
    ...one,
    map: [
      { object: 'tenant', link: 'id', set: { Name: 'name', Phone: 'phone', City: 'city', Email: 'email' } },
    ],
  })),
  send: [{ ...sendPeople({ name: 'Name', phone: 'Phone', city: 'City', email: 'Email' }), ...WITH_KEY }],
  owners: { tenant: { City: 'ours', Email: 'theirs' } },
}

describe('a record that goes both ways', () => {
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  let service: TestService
  let other: Partner
  let integration: Data
  let tenant: Data
  let reply: (asked: Asked) => Reply = () => ({ json: { id: 'person-1' } })
  before(async () => {
    other = await partner((asked) => reply(asked))
    service = await serviceWith(both, { settings: AT_ONCE, clock })
    const Credentials = { token: 'a-long-token' }
    const made = await service.post('integrations', {
      Definition: 'directory',
      BaseUrl: other.url,
      Credentials,
    })
    integration = (await service.post(`integrations/${made.data.Id}/start`)).data
  })
  after(async () => {
    await service.discard()
    await other.stop()
  })

  const bodies = () => other.asked.map(({ body }) => JSON.parse(body) as Fields)
  const arrived = (count: number) =>
    eventually(`${count} requests`, async () => expect(other.asked).to.have.length(count))
  const theySay = async (person: Fields, state = 'applied') => {
    const { list } = await service.get(`integrations/${integration.Id}/inbox?pageSize=1`)
    const headers = { Authorization: 'Bearer a-long-token' }
    await service.send('POST', `in/${integration.Id}/people`, { body: person, headers })
    return eventually(`a message is ${state}`, async () => {
      const [row] = (await service.get(`integrations/${integration.Id}/inbox?pageSize=1`)).list
      expect(row!['Id']).not.to.equal(list[0]?.['Id'])
      expect(row).to.include({ State: state })
      return row!
    })
  }
  const now = async () => (await service.get(`tenant/${tenant.Id}`)).data

  it('is made there, and known by its Id from then on', async () => {
    tenant = await service.create('tenant', { Name: 'Ann', Phone: '1', City: 'Bergen' })
    await arrived(1)
    await eventually('it is stored', async () =>
      expect((await service.get(`integrations/${integration.Id}/sent`)).list[0]).to.include({
        State: 'sent',
        ExternalId: 'person-1',
        Record: tenant.Id,
      }),
    )
    await service.patch(`tenant/${tenant.Id}`, { Phone: '2' })
    await arrived(2)
    const sentOf = async (record: string) =>
      (await service.get(`integrations/${integration.Id}/sent?record=${record}`)).list
    expect((await sentOf(tenant.Id)).map(({ Event }) => Event)).to.have.members([
      'tenant.created',
      'tenant.updated',
    ])
    expect(await sentOf('tenant-another')).to.deep.equal([])
    const odd = await service.get(
      `integrations/${integration.Id}/sent?record=${encodeURIComponent("x' or '")}`,
    )
    expect([odd.status, odd.error.Details[0]?.Field]).to.deep.equal([400, 'record'])
    expect(other.asked[1]).to.include({ method: 'PUT', path: '/people/person-1' })
  })

  it('is changed from there, and that is not sent back', async () => {
    await eventually('both have it', async () =>
      expect((await service.get(`integrations/${integration.Id}/sent?state=sent`)).list).to.have.length(2),
    )
    await theySay({ id: 'person-1', name: 'Ann B.', phone: '2', city: 'Oslo', email: 'ann@example.com' })
    // City is ours, whatever they say.
    expect(await now()).to.include({ Name: 'Ann B.', Phone: '2', City: 'Bergen', Email: 'ann@example.com' })
    const { list: inbox } = await service.get(`integrations/${integration.Id}/inbox?pageSize=1`)
    const { list: entries } = await service.get(`tenant/${tenant.Id}/history`)
    expect(entries.map((entry) => entry['Integration'])).to.deep.equal([
      undefined,
      undefined,
      { Id: integration.Id, Message: inbox[0]!.Id },
    ])
    await service.patch(`tenant/${tenant.Id}`, { Phone: '3' })
    await arrived(3)
    expect(bodies()[2]).to.deep.equal({
      name: 'Ann B.',
      phone: '3',
      city: 'Bergen',
      email: 'ann@example.com',
    })
  })

  it('is not set back by what they had before', async () => {
    await eventually('both have it', async () =>
      expect((await service.get(`integrations/${integration.Id}/sent?state=sent`)).list).to.have.length(3),
    )
    // Their message of our own change, late: we have gone on since.
    reply = () => ({ status: 503, headers: { 'Retry-After': '1' } })
    await service.patch(`tenant/${tenant.Id}`, { Phone: '4' })
    await arrived(4)
    await theySay({ id: 'person-1', name: 'Ann B.', phone: '3', city: 'Bergen', email: 'ann@example.com' })
    expect(await now()).to.include({ Phone: '4' })
  })

  it('is left to a person where both have changed the same field', async () => {
    const row = await theySay(
      { id: 'person-1', name: 'Ann C.', phone: '5', city: 'Bergen', email: 'ann@example.com' },
      'conflict',
    )
    expect(row['Reason']).to.equal(
      'both sides have changed it: Phone is "4" here and "5" there. Say which holds',
    )
    expect(await now()).to.include({ Name: 'Ann C.', Phone: '4' })
    const [conflict] = (await service.get(`integrations/${integration.Id}/conflicts`)).list
    expect(conflict).to.deep.include({
      Id: row.Id,
      Records: [
        { Object: 'tenant', Record: tenant.Id, Fields: [{ Field: 'Phone', Ours: '4', Theirs: '5' }] },
      ],
    })
    const path = `integrations/${integration.Id}/conflicts/${row.Id}/resolve`
    const refused = await service.post(path, { Take: { Phone: 'both', City: 'ours' } })
    expect(refused.status).to.equal(400)
    expect(refused.faults).to.deep.equal([
      'Take.Phone: must be one of ours, theirs',
      'Take.City: is not in conflict; Phone is',
    ])
    expect((await service.post(path, { Take: { Phone: 'theirs' } })).status).to.equal(200)
    expect(await now()).to.include({ Name: 'Ann C.', Phone: '5' })
    expect((await service.get(`integrations/${integration.Id}/conflicts`)).list).to.deep.equal([])
    expect((await service.post(path, { Take: { Phone: 'theirs' } })).status).to.equal(409)
  })

  it('is sent to them where a person decides that ours holds', async () => {
    reply = () => ({ json: { id: 'person-1' } })
    clock.pass(4_000_000)
    await eventually('they have what a person took over', async () => {
      clock.pass(60_000)
      expect(bodies().at(-1)).to.include({ phone: '5' })
    })
    const sent = async () =>
      (await service.get(`integrations/${integration.Id}/sent?state=sent`)).pagination.TotalRecords
    reply = () => ({ status: 503, headers: { 'Retry-After': '1' } })
    await service.patch(`tenant/${tenant.Id}`, { Phone: '6' })
    const row = await theySay(
      { id: 'person-1', name: 'Ann C.', phone: '7', city: 'Bergen', email: 'ann@example.com' },
      'conflict',
    )
    reply = () => ({ json: { id: 'person-1' } })
    const before = await sent()
    const path = `integrations/${integration.Id}/conflicts/${row.Id}/resolve`
    expect((await service.post(path, { Take: { Phone: 'ours' } })).status).to.equal(200)
    await eventually('they have ours', async () => {
      clock.pass(600_000)
      expect(await sent()).to.be.above(before)
      expect(bodies().at(-1)).to.include({ phone: '6' })
    })
    expect(await now()).to.include({ Phone: '6' })
    // Their value is known: that it comes again is not a change of theirs.
    await theySay({ id: 'person-1', name: 'Ann D.', phone: '6', city: 'Bergen', email: 'ann@example.com' })
    expect(await now()).to.include({ Name: 'Ann D.', Phone: '6' })
  })
})
