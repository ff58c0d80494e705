/** The audit: what it tells, of whom, in which order, and that reading it is told as well. */
import { expect } from 'chai'
import {
  testService,
  type Answer,
  type Data,
  type HeaderValues,
  type TestService,
} from '../../support/service.ts'
import { contractBody } from '../../system/support/leasing.ts'

describe('the audit', () => {
  let service: TestService
  let now = Date.parse('2029-03-01T00:00:00.000Z')
  before(async () => {
    service = await testService({ clock: { now: () => now, elapsed: () => performance.now() } })
  })
  after(() => service.discard())

  const audit = (parameters: HeaderValues = {}) => service.list('audit', { pageSize: '100', ...parameters })
  const events = (answer: Answer) => answer.list.map((entry) => entry['Event'])
  const lines = (answer: Answer) =>
    answer.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Data)

  it('tells every event of the company in the order in which it was stored', async () => {
    const tenant = await service.create('tenant', { Name: 'Ann' })
    await service.patch(`tenant/${tenant.Id}`, { Name: 'Bea' }, { 'Daybook-Reason': 'married' })
    const answer = await audit({ object: 'tenant' })
    expect(answer.status, answer.text).to.equal(200)
    const last = answer.list.at(-1)!
    expect(last).to.have.all.keys('Position', 'Key', 'Version', 'Event', 'At', 'By', 'Reason', 'Data')
    expect(last).to.deep.include({
      Key: tenant.Id,
      Version: 2,
      Event: 'tenant.updated',
      At: '2029-03-01T00:00:00Z',
      Reason: 'married',
      Data: { Name: 'Bea' },
    })
    expect(last['By']).to.include({ Name: 'bootstrap' })
    const positions = (await audit()).list.map(({ Position }) => Position as number)
    expect(positions).to.deep.equal(positions.map((_position, i) => i + 1))
    expect((await audit({ sort: '-Position', object: 'tenant' })).list).to.deep.equal(
      [...(await audit({ object: 'tenant' })).list].reverse(),
    )
  })

  it('is narrowed by record, object, actor, event and time', async () => {
    now = Date.parse('2029-04-01T10:00:00.500Z')
    const contract = await service.create('contract', { ...contractBody(), StartDate: '2030-01-01' })
    await service.patch(`contract/${contract.Id}`, { Notes: 'x' })
    now = Date.parse('2029-04-02T00:00:00.000Z')
    await service.delete(`contract/${contract.Id}`)
    const all = ['contract.created', 'contract.updated', 'contract.deleted']
    expect(events(await audit({ key: contract.Id }))).to.deep.equal(all)
    expect(events(await audit({ key: contract.Id, event: 'contract.updated' }))).to.deep.equal([all[1]])
    expect(events(await audit({ key: contract.Id, event: 'contract.*' }))).to.deep.equal(all)
    expect(events(await audit({ key: contract.Id, event: 'contract.workflow.*' }))).to.deep.equal([])
    expect(events(await audit({ key: contract.Id, object: 'tenant' }))).to.deep.equal([])
    expect(events(await audit({ object: 'contract', to: '2029-04-01' }))).to.deep.equal(all.slice(0, 2))
    expect(events(await audit({ object: 'contract', from: '2029-04-02' }))).to.deep.equal([all[2]])
    // A second is all of its milliseconds.
    const second = { from: '2029-04-01T10:00:00Z', to: '2029-04-01T10:00:00Z' }
    expect(events(await audit({ object: 'contract', ...second }))).to.deep.equal(all.slice(0, 2))
    expect(events(await audit({ object: 'contract', to: '2029-04-01T10:00:00.499Z' }))).to.deep.equal([])
    const actor = (await audit({ key: contract.Id })).list[0]?.['By'] as Data
    expect(events(await audit({ key: contract.Id, actor: actor.Id }))).to.deep.equal(all)
    const nobody = `user-${'0'.repeat(26)}`
    expect(events(await audit({ key: contract.Id, actor: nobody }))).to.deep.equal([])
  })

  it('comes in pages with a total', async () => {
    const tenant = await service.create('tenant', { Name: '0' })
    for (let n = 1; n < 5; n++) await service.patch(`tenant/${tenant.Id}`, { Name: String(n) })
    const page = await audit({ key: tenant.Id, page: '2', pageSize: '2' })
    expect(page.list.map(({ Version }) => Version)).to.deep.equal([3, 4])
    expect(page.pagination).to.deep.equal({ Page: 2, PageSize: 2, TotalRecords: 5, TotalPages: 3 })
    expect((await audit({ key: tenant.Id, page: '9' })).list).to.deep.equal([])
  })

  it('records each reading of itself with what was asked, and not in the answer to it', async () => {
    const answer = await audit({ object: 'audit', from: '2029-01-01' })
    const next = (await audit({ object: 'audit' })).list
    expect(next).to.have.length(answer.list.length + 1)
    expect(next.at(-1)).to.deep.include({
      Event: 'audit.read',
      Data: { Parameters: { object: 'audit', from: '2029-01-01', pageSize: '100' } },
    })
    await service.get('audit/export?object=audit', { 'Daybook-Reason': 'yearly audit' })
    const exported = await audit({ event: 'audit.exported' })
    expect(exported.list).to.have.length(1)
    expect(exported.list[0]).to.deep.include({
      Reason: 'yearly audit',
      Data: { Parameters: { object: 'audit' } },
    })
  })

  it('says that a password was changed, and not to what', async () => {
    const body = { Email: 'pat@example.com', Name: 'Pat', Password: 'a long password', Roles: ['viewer'] }
    const { Id } = (await service.post('identity/users', body)).data
    await service.patch(`identity/users/${Id}`, { Password: 'another long password' })
    await service.patch(`identity/users/${Id}`, { Name: 'Pat P.' })
    const { list } = await service.get(`audit?key=${Id}&field=Password`)
    expect(list.map(({ Event, Data }) => [Event, (Data as { Password?: string }).Password])).to.deep.equal([
      ['user.created', '(not shown)'],
      ['user.updated', '(not shown)'],
    ])
    expect(JSON.stringify(list)).to.not.include('long password').and.not.include('argon2')
  })

  it('says nothing of claims, numbers and requests, nor what no definition knows', async () => {
    await service.create('contract', { ...contractBody(), StartDate: '2030-01-01' })
    await service.post('tenant', { Name: 'once' }, { 'Idempotency-Key': 'audited' })
    expect(service.streams().some((stream) => stream.startsWith('request-'))).to.equal(true)
    const all = (await service.get('audit/export')).text
    for (const hidden of ['request.', 'claim.', 'numbering.', 'Hash']) expect(all).not.to.include(hidden)
    expect(all).to.include('token.created')
  })

  it('is exported as JSON Lines: the same, whole, in order', async () => {
    for (let n = 0; n < 130; n++) await service.create('building', { Name: `House ${n}` })
    const answer = await service.get('audit/export?object=building')
    expect(answer.headers.get('Content-Type')).to.equal('application/jsonl; charset=utf-8')
    expect(answer.headers.get('Content-Disposition')).to.include('audit.jsonl')
    const exported = lines(answer)
    expect(exported).to.have.length(130)
    expect(exported.slice(0, 100)).to.deep.equal((await audit({ object: 'building' })).list)
    const head = await service.send('HEAD', 'audit/export')
    expect([head.status, head.text]).to.deep.equal([200, ''])
    expect((await service.get('audit/export?object=unit')).text).to.equal('')
  })

  it('refuses what it does not understand, naming it, and records nothing then', async () => {
    const before = (await audit({ object: 'audit' })).pagination.TotalRecords
    for (const [name, value] of [
      ['object', 'Contract'],
      ['key', 'nope'],
      ['actor', "x' OR 1=1"],
      ['event', 'contract'],
      ['event', '%'],
      ['from', 'yesterday'],
      ['to', '2029-02-30'],
      ['sort', 'At'],
      ['page', '0'],
      ['nope', '1'],
    ] as const) {
      const answer = await audit({ [name]: value })
      expect(answer.status, `${name}=${value}`).to.equal(400)
      expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal([name])
    }
    expect((await audit({ from: '2029-02-01', to: '2029-01-01' })).faults).to.deep.equal([
      'from: must not be later than to',
    ])
    expect((await service.get('audit/export?page=1')).status).to.equal(400)
    expect((await service.post('audit', {})).status).to.equal(405)
    expect((await audit({ object: 'audit' })).pagination.TotalRecords).to.equal(before + 1)
  })

  it('is the same after a restart, and when the journal has to be made anew', async () => {
    const before = (await service.get('audit/export?to=2029-04-01')).text
    expect(before).not.to.equal('')
    await service.stop()
    service.inEventFile('DELETE FROM journal')
    await service.restart()
    expect((await service.get('audit/export?to=2029-04-01')).text).to.equal(before)
  })

  it('has logged nothing', () => expect(service.logged).to.deep.equal([]))

  it('is narrowed by field, by reason and by the name of who did it', async () => {
    const rent = (Amount: number) => ({ MonthlyRent: { Amount, Currency: 'EUR' } })
    const { Id } = await service.create('contract', { ...contractBody(), StartDate: '2030-01-01' })
    await service.patch(`contract/${Id}`, rent(1), { 'Daybook-Reason': 'Indexation' })
    await service.patch(`contract/${Id}`, rent(2))
    await service.patch(`contract/${Id}`, { Notes: 'n' })
    const versions = async (parameters: HeaderValues) => {
      const answer = await audit({ key: Id, ...parameters })
      expect(answer.status, answer.text).to.equal(200)
      return answer.list.map(({ Version }) => Version)
    }
    expect(await versions({ field: 'MonthlyRent', event: 'contract.updated' })).to.deep.equal([2, 3])
    const unexplained = { field: 'MonthlyRent', event: 'contract.updated', reason: 'none' }
    expect(await versions(unexplained)).to.deep.equal([3])
    expect(await versions({ reason: 'INDEX' })).to.deep.equal([2])
    expect(await versions({ reason: 'none', sort: '-Position' })).to.deep.equal([4, 3, 1])
    expect(await versions({ actor: 'Bootstrap' })).to.deep.equal([1, 2, 3, 4])
    expect(await versions({ actor: 'ADMIN@example.com' })).to.deep.equal([])
    const second = await audit({ key: Id, reason: 'none', page: '2', pageSize: '2' })
    expect(second.list.map(({ Version }) => Version)).to.deep.equal([4])
    expect(second.pagination).to.include({ TotalRecords: 3, TotalPages: 2 })
    const kept = await service.list('audit/export', { key: Id, field: 'Notes', event: 'contract.updated' })
    expect(lines(kept).map(({ Version }) => Version)).to.deep.equal([4])
  })

  it('finds a person by a name without its accents, or by exactly that name where several would be meant', async () => {
    const tokenOf = async (Name: string) =>
      (await service.post('identity/tokens', { Name, Roles: ['editor'] })).data
    const ina = await tokenOf('Iñá Jørgensen')
    const by = { Authorization: `Bearer ${ina['Token'] as string}` }
    const { Id } = (await service.post('tenant', { Name: 'By Iñá' }, by)).data
    const keys = async (actor: string) =>
      (await audit({ actor, object: 'tenant' })).list.map(({ Key }) => Key)
    for (const name of ['Ina Jorgensen', 'ina  JØRGENSEN', 'Iñá Jørgensen'])
      expect(await keys(name), name).to.deep.equal([Id])
    expect((await audit({ actor: 'Ina' })).status).to.equal(400)
    const other = await tokenOf('Ina Jørgensen')
    expect(await keys('Iñá Jørgensen')).to.deep.equal([Id])
    expect(await keys('Ina Jørgensen')).to.deep.equal([])
    const both = await audit({ actor: 'Ina Jorgensen' })
    expect(both.status).to.equal(400)
    expect(both.text).to.include(ina.Id).and.include(other.Id)
  })

  it('is read with a reason of its own, beside the one that is looked for', async () => {
    const { Id } = await service.create('tenant', { Name: 'Eve' })
    await service.patch(`tenant/${Id}`, { Name: 'Eva' }, { 'Daybook-Reason': 'misspelt' })
    const asked = (headers: HeaderValues) => service.get(`audit?key=${Id}&reason=misspelt`, headers)
    for (const headers of [{ 'Daybook-Reason': 'yearly review' }, {}]) {
      const answer = await asked(headers)
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.list.map(({ Version }) => Version)).to.deep.equal([2])
    }
    const read = await service.list('audit', { event: 'audit.read', sort: '-Position', pageSize: '2' })
    expect(read.list.map(({ Reason }) => Reason)).to.deep.equal([null, 'yearly review'])
  })

  it('is exported as CSV, too', async () => {
    const { Id } = await service.create('tenant', { Name: '=1+1, "x"' })
    await service.patch(`tenant/${Id}`, { Phone: '1' }, { 'Daybook-Reason': '=cmd()' })
    const { text, headers } = await service.list('audit/export', { key: Id, format: 'csv' })
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8; header=present')
    const rows = text.split('\r\n')
    expect(rows[0]).to.equal('Position,Key,Version,Event,At,By_Id,By_Name,Reason,Data')
    const quotedTwice = (value: object) => `"${JSON.stringify(value).replaceAll('"', '""')}"`
    expect(rows[1])
      .to.include(',bootstrap,,')
      .and.include(quotedTwice({ Name: '=1+1, "x"' }).slice(2, -2))
    expect(rows[2]).to.include(`,'=cmd(),${quotedTwice({ Phone: '1' })}`)
    expect(rows.slice(3)).to.deep.equal([''])
  })

  it('refuses what there is not, and says what was meant', async () => {
    for (const [parameters, said] of [
      [{ object: 'contracts' }, 'there is no object contracts; did you mean contract?'],
      [{ event: 'contract.update' }, 'there is no event contract.update; did you mean contract.updated?'],
      [{ event: 'contracts.*' }, 'there is no event contracts.*; did you mean contract.*?'],
      [{ event: 'contract.workflows.*' }, 'there is no event contract.workflows.*'],
      [{ object: 'contract', field: 'Rent' }, 'contract has no field Rent; did you mean MonthlyRent?'],
      [{ field: 'Monthlyrent' }, 'no object has a field Monthlyrent; did you mean MonthlyRent?'],
      [{ object: 'user', field: 'PasswordHash' }, 'user has no field PasswordHash'],
      [{ actor: 'Somebody' }, 'must be the Key, the name or the e-mail address of a user or token'],
    ] as const) {
      const answer = await audit(parameters)
      expect(answer.status, said).to.equal(400)
      expect(answer.text).to.include(said)
    }
  })
})
