/** What people try first, and what they are answered: the fault, and what was probably meant. */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { testService, type TestService } from '../../support/service.ts'
import { contractBody } from '../../system/support/leasing.ts'

describe('a first try', () => {
  let service: TestService
  let now = Date.parse('2026-03-01T10:00:00.000Z')
  let tenant: string
  before(async () => {
    service = await testService({ clock: { now: () => now, elapsed: () => performance.now() } })
    tenant = (await service.create('tenant', { Name: 'Zoë' })).Id
    now = Date.parse('2026-04-01T10:00:00.000Z')
    await service.patch(`tenant/${tenant}`, { Phone: '1' })
  })
  after(() => service.discard())

  const textOf = async (path: string, parameters = {}) => (await service.list(path, parameters)).text

  it('with another name of an object, field or role is told the right one', async () => {
    expect(await textOf('contracts')).to.include('there is no object contracts; did you mean contract?')
    expect(await textOf('Contract')).to.include('did you mean contract?')
    const made = await service.post('tenant', { name: 'x' })
    expect(made.text).to.include('tenant has no such field; did you mean Name?')
    const user = { Name: 'A', Email: 'a@example.com', Password: 'correct horse battery', Roles: ['edtor'] }
    expect((await service.post('identity/users', user)).text).to.include('did you mean editor?')
    expect((await service.post('identity/users', { ...user, email: 'x' })).text).to.include(
      'did you mean Email?',
    )
    const hook = { Url: 'https://example.com/', Events: ['contract.update'] }
    expect((await service.post('webhooks', hook)).text).to.include('did you mean contract.updated?')
  })

  it('with the parameters of another API is told those of this one', async () => {
    for (const [given, meant] of [
      ['limit', 'did you mean pageSize?'],
      ['$top', 'did you mean pageSize?'],
      ['offset', 'pages are counted: page=2&pageSize=25'],
      ['$filter', 'did you mean filter?'],
      ['orderBy', 'did you mean sort?'],
      ['q', 'did you mean search?'],
      ['include', 'did you mean expand?'],
    ] as const)
      expect(await textOf('contract', { [given]: '1' }), given).to.include(meant)
  })

  it('of an action, or of the audit, is told what was meant', async () => {
    const { Id } = await service.create('contract', contractBody())
    const acted = await service.post(`contract/${Id}/workflow/approv`)
    expect(acted.text)
      .to.include('contract has no action approv; it has submit')
      .and.include('did you mean approve?')
    for (const [given, meant] of Object.entries({ user: 'actor', since: 'from', until: 'to' }))
      expect(await textOf('audit', { [given]: '2026-01-01' }), given).to.include(`did you mean ${meant}?`)
  })

  it('with letters that are not percent-encoded is told so', async () => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    socket.write(`GET /api/v1/tenant?filter=Name%20eq%20'Zoë' HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(await text(socket))
      .to.match(/^HTTP\/1.1 400 /)
      .and.include('must be percent-encoded')
  })

  it('of SQL names the table, column or function that there is', async () => {
    const asked = async (Sql: string) => (await service.post('warehouse/query', { Sql })).text
    expect(await asked('SELECT * FROM contract')).to.include('did you mean wh_Leasing_Contract?')
    expect(await asked('SELECT * FROM wh_Leasing_Contracts')).to.include('did you mean wh_Leasing_Contract?')
    expect(await asked('SELECT Tenat FROM wh_Leasing_Contract')).to.include('did you mean Tenant?')
    expect(await asked('SELECT Name FROM wh_Leasing_Contract'), 'not of other tables').to.match(
      /did you mean (Tenant|Building|Unit)_Name\?/,
    )
    expect(await asked('SELECT Amount FROM wh_Finance_Payment')).to.include('did you mean Amount_Amount?')
    expect(await asked('SELECT date_trunc(1)')).to.include("write date(column, 'start of month')")
    expect(await asked('SELECT * FROM nothing_like_it')).to.include('GET /api/v1/warehouse lists the tables')
    expect(await textOf('warehouse/Contract')).to.include('did you mean wh_Leasing_Contract?')
  })

  it('of the past says why a record was not there then', async () => {
    const asOf = async (moment: string) => textOf(`tenant/${tenant}`, { asOf: moment })
    expect(await asOf('99')).to.include(`${tenant} has no version 99; its last is 2`)
    expect(await asOf('2026-02-01')).to.include('was not there yet; it was created at 2026-03-01T10:00:00Z')
    expect(await asOf('2026-03-01T10:00:00')).to.include(
      'it has no time zone: write 2026-03-01T10:00:00Z for UTC',
    )
    now = Date.parse('2026-05-01T10:00:00.000Z')
    const gone = await service.create('tenant', { Name: 'Gone' })
    await service.delete(`tenant/${gone.Id}`)
    const then = await textOf(`tenant/${gone.Id}`, { asOf: '2026-05-02' })
    expect(then).to.include('was deleted then; it was deleted at 2026-05-01T10:00:00Z (version 2)')
    const nothing = `tenant-${'0'.repeat(26)}`
    expect(await textOf(`tenant/${nothing}`, { asOf: '2026-05-02' })).to.include(
      `there is no tenant ${nothing}`,
    )
  })

  it('of a conflict says by name who was faster', async () => {
    const answer = await service.patch(`tenant/${tenant}`, { Phone: '2' }, { 'If-Match': '"1"' })
    expect(answer.status).to.equal(412)
    expect(answer.text).to.include('was changed by bootstrap at 2026-04-01T10:00:00Z')
  })

  it('with a reason in UTF-8 keeps it as it was meant, and with other bytes is refused', async () => {
    const raw = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
    const change = await service.patch(
      `tenant/${tenant}`,
      { Phone: '3' },
      { 'Daybook-Reason': raw('Erhöhung für März 🙂') },
    )
    expect(change.status, change.text).to.equal(200)
    const encoded = { 'Daybook-Reason': encodeURIComponent('50 % höher') }
    await service.patch(`tenant/${tenant}`, { Phone: '4' }, encoded)
    const refused = await service.patch(
      `tenant/${tenant}`,
      { Phone: '5' },
      { 'Daybook-Reason': 'Erh\u00f6hung' },
    )
    expect(refused.status).to.equal(400)
    expect(refused.text).to.include('must be UTF-8, or percent-encoded')
    const { list } = await service.list(`tenant/${tenant}/history`)
    expect(list.slice(-2).map(({ Reason }) => Reason)).to.deep.equal(['Erhöhung für März 🙂', '50 % höher'])
  })
})
