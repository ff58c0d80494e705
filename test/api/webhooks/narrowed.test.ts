/** A webhook sends whole records: to whom roles show less, it is neither theirs to point somewhere nor to look into. */
import { expect } from 'chai'
import { testService, type Answer, type Data, type TestService } from '../../support/service.ts'
import { withGrants } from '../identity/identity-support.ts'
import { eventually } from '../../system/support/eventually.ts'

const Url = 'https://hooks.example.com/x'
const ADMINISTERS = { Object: 'webhook', Actions: ['administer'] }

describe('webhooks of those to whom not everything is granted', () => {
  let service: TestService
  /** Of contracts, made by somebody who may read them. */
  let path: string
  let delivery: string

  before(async () => {
    service = await testService()
    const webhook = await service.post('webhooks', { Url, Events: ['contract.*'] })
    path = `webhooks/${webhook.data.Id}`
    await service.create('contract', {
      MonthlyRent: { Amount: 1, Currency: 'EUR' },
      StartDate: '2999-01-01',
      Notes: 'canary',
    })
    delivery = (await firstDelivery(path)).Id
  })
  after(() => service.discard())

  /** The outbox is filled just after the write was answered. */
  const firstDelivery = (of: string): Promise<Data> =>
    eventually('there is a delivery', async () => {
      const [first] = (await service.get(`${of}/deliveries`)).list
      expect(first).to.not.equal(undefined)
      return first!
    })
  /** A webhook about tenants, with a delivery of the time when it was about contracts. */
  const turnedToTenants = async () => {
    const mine = await service.post('webhooks', { Url, Events: ['contract.*'] })
    const to = `webhooks/${mine.data.Id}`
    await service.create('contract', { MonthlyRent: { Amount: 1, Currency: 'EUR' }, StartDate: '2999-01-01' })
    const sent = await firstDelivery(to)
    expect((await service.patch(to, { Events: ['tenant.*'] })).status).to.equal(200)
    return { to, sent }
  }
  const granted = (...Grants: object[]) => withGrants(service, [ADMINISTERS, ...Grants])
  const expectForbidden = (answer: Answer, what: string) =>
    expect([answer.status, answer.text.includes('canary')], what).to.deep.equal([403, false])

  it('are not pointed elsewhere, and what they sent is not shown', async () => {
    for (const grants of [
      [],
      [{ Object: 'contract', Actions: ['read'], Rows: "Status eq 'Active'" }],
      [{ Object: 'contract', Actions: ['read'], ReadFields: ['Status'] }],
      // The names of tenants, buildings and units are sent with it.
      [{ Object: 'contract', Actions: ['read'] }],
    ]) {
      const as = await granted(...grants)
      const what = JSON.stringify(grants)
      expectForbidden(await service.patch(path, { Url: 'https://evil.example.com/' }, as), what)
      expectForbidden(await service.patch(path, { Events: ['tenant.created'], Url }, as), what)
      expectForbidden(await service.post(`${path}/rotate-secret`, { Secret: 'x'.repeat(30) }, as), what)
      expectForbidden(await service.post(`${path}/replay`, { From: 'beginning' }, as), what)
      expectForbidden(await service.get(`${path}/deliveries`, as), what)
      expectForbidden(await service.get(`${path}/deliveries/${delivery}`, as), what)
      expectForbidden(await service.post(`${path}/deliveries/${delivery}/redeliver`, undefined, as), what)
      expectForbidden(await service.post('webhooks', { Url, Events: ['contract.created'] }, as), what)
      expectForbidden(await service.post('webhooks', { Url, Events: ['*'] }, as), what)
      // That there is one, and to be rid of it, is what administering is about.
      expect((await service.get(path, as)).data['Url'], what).to.equal(Url)
    }
  })

  it('show nothing of what they sent before they were about something else', async () => {
    const as = await granted({ Object: 'tenant', Actions: ['read'] })
    const { to, sent } = await turnedToTenants()
    expectForbidden(await service.get(`${to}/deliveries`, as), 'the list')
    expectForbidden(await service.get(`${to}/deliveries/${sent.Id}`, as), 'the delivery')
    // Nor how many there are.
    for (const query of ['page=99', 'event=contract.created&page=99', 'event=tenant.created', 'state=failed'])
      expectForbidden(await service.get(`${to}/deliveries?${query}`, as), query)
    expect((await service.patch(to, { Description: 'mine' }, as)).status).to.equal(200)
    const whole = await service.get(`${to}/deliveries?event=contract.created`)
    expect([whole.status, whole.pagination.TotalRecords]).to.deep.equal([200, 1])
  })

  it('send nothing of that again, to nobody else and at nobody else’s wish', async () => {
    const as = await granted({ Object: 'tenant', Actions: ['read'] })
    const { to, sent } = await turnedToTenants()
    expectForbidden(await service.post(`${to}/deliveries/${sent.Id}/redeliver`, undefined, as), 'again')
    // It has not come to its end: its next attempt would go there.
    expect(sent['State']).to.equal('Pending')
    expectForbidden(await service.patch(to, { Url: 'https://evil.example.com/' }, as), 'elsewhere')
    expect((await service.get(to)).data['Url']).to.equal(Url)
    expect((await service.post(`${to}/deliveries/${sent.Id}/redeliver`)).status).to.equal(202)
  })

  it('are pointed elsewhere by whoever sees all that is still to be sent', async () => {
    const as = await granted({ Object: 'tenant', Actions: ['read'] })
    const theirs = await service.post('webhooks', { Url, Events: ['tenant.*'] }, as)
    const to = `webhooks/${theirs.data.Id}`
    await service.create('tenant', { Name: 'Ann' })
    const sent = await firstDelivery(to)
    expect(sent['State']).to.equal('Pending')
    expect((await service.patch(to, { Url: `${Url}y` }, as)).status).to.equal(200)
    expect((await service.get(`${to}/deliveries/${sent.Id}`, as)).status).to.equal(200)
    expect((await service.post(`${to}/deliveries/${sent.Id}/redeliver`, undefined, as)).status).to.equal(202)
  })

  it('are filtered by what may be read only', async () => {
    const as = await granted(
      { Object: 'unit', Actions: ['read'] },
      { Object: 'building', Actions: ['read'], ReadFields: ['Name'] },
    )
    const units = (Filter: string) => service.post('webhooks', { Url, Events: ['unit.created'], Filter }, as)
    expectForbidden(await units("Building/City eq 'Kiel'"), 'a field that is not shown')
    for (const Filter of ["Building/Name eq 'x'", "Number eq 'x'"])
      expect((await units(Filter)).status, Filter).to.equal(201)
  })

  it('have logged nothing', () =>
    expect(service.logged.filter(({ level }) => level === 'error')).to.deep.equal([]))
})
