/**
 * The story of the specification, told over HTTP from beginning to end: a lease is entered, found, changed, approved,
 * deleted and brought back, and survives a restart. It knows no engine: each mix of engines runs it as it is.
 */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { client, textOf, type Data, type TestService } from '../../support/service.ts'
import { eventually } from '../support/eventually.ts'
import { contractBody, createLease, KEY, START_DATE, TIMESTAMP, type Lease } from '../support/leasing.ts'

export function recordsStory(open: () => Promise<TestService>): void {
  let service: TestService
  let lease: Lease
  let contract: Data
  let path: string
  /** A word that only this run's records have: the engines may be shared. */
  const word = `w${randomUUID().replaceAll('-', '')}`

  before(async () => {
    service = await open()
  })
  after(() => service.discard())

  const total = async (parameters: Record<string, string>) =>
    (await service.list('contract', parameters)).pagination.TotalRecords

  it('begins with a tenant, a building and a unit', async () => {
    lease = await createLease(service, { tenant: `Zoë ${word}` })
    for (const [object, key] of Object.entries(lease).slice(0, 3)) {
      expect(key).to.match(KEY(object))
      const answer = await service.get(`${object}/${String(key)}`)
      expect([answer.status, answer.data['Id'], answer.headers.get('ETag')]).to.deep.equal([200, key, '"1"'])
    }
  })

  it('a contract is entered for them: it is a draft, with a number', async () => {
    const answer = await service.post('contract', {
      ...lease.lookups,
      MonthlyRent: { Amount: 1250.5, Currency: 'EUR' },
      StartDate: START_DATE,
      Duration: 12,
      LeaseType: 'New',
    })
    expect(answer.status, answer.text).to.equal(201)
    contract = answer.data
    path = `contract/${contract.Id}`
    expect(answer.headers.get('Location')).to.equal(`/api/v1/${path}`)
    expect(contract).to.include({ Status: 'Draft', EndDate: '2999-12-31' })
    expect(contract['ContractNumber']).to.match(/^CON-\d{4}-\d{4,}$/)
    expect(contract['Tenant']).to.deep.equal({ Id: lease.tenant, Name: `Zoë ${word}` })
    expect(contract['Unit']).to.deep.equal({ Id: lease.unit, Number: '4B' })
    expect(contract['CreatedAt']).to.match(TIMESTAMP)
    expect((await service.get(path)).data).to.deep.equal(contract)
  })

  it('one without a rent, beginning in the past, is refused field by field', async () => {
    const answer = await service.post('contract', { ...lease.lookups, StartDate: '2020-01-01' })
    expect([answer.status, answer.error.Code]).to.deep.equal([400, 'VALIDATION_ERROR'])
    expect(answer.error.Details.map(({ Field }) => Field)).to.have.members(['MonthlyRent', 'StartDate'])
  })

  it('it is listed, filtered, sorted and searched, also by what it looks up', async () => {
    const mine = `Tenant eq '${lease.tenant}'`
    for (const filter of [
      mine,
      `contains(Tenant/Name, '${word.toUpperCase()}')`,
      `Tenant/Email eq 'ada@example.com' and ${mine}`,
      `MonthlyRent gt 1250 and MonthlyRent/Currency eq 'EUR' and ${mine}`,
      `Status ne 'Active' and StartDate ge ${START_DATE} and ${mine}`,
    ])
      expect((await service.list('contract', { filter })).list, filter).to.deep.equal([contract])
    for (const search of [word.slice(0, 20), `zoe ${word}`, `${textOf(contract, 'ContractNumber')} ${word}`])
      expect((await service.list('contract', { search })).list, search).to.deep.equal([contract])
    const sorted = await service.list('contract', {
      filter: mine,
      sort: '-MonthlyRent,Tenant/Name',
      fields: 'Status',
    })
    expect(sorted.list).to.deep.equal([{ Id: contract['Id'], Status: 'Draft' }])
  })

  it('it is read with the full records of what it looks up', async () => {
    const { data } = await service.get(`${path}?expand=Tenant,Building,Unit`)
    expect(data['Tenant']).to.deep.equal((await service.get(`tenant/${lease.tenant}`)).data)
    expect(data['Building']).to.deep.equal((await service.get(`building/${lease.building}`)).data)
    expect(data['Unit']).to.deep.equal((await service.get(`unit/${lease.unit}`)).data)
    const { list } = await service.list('contract', { search: word, expand: 'Tenant' })
    expect(list[0]?.['Tenant']).to.deep.equal(data['Tenant'])
  })

  it('it is changed, for the version that was read and no other', async () => {
    const changed = await service.patch(path, { MonthlyRent: { Amount: 1300 } }, { 'If-Match': '"1"' })
    expect([changed.status, changed.headers.get('ETag')]).to.deep.equal([200, '"2"'])
    expect(changed.data['MonthlyRent']).to.deep.equal({ Amount: 1300, Currency: 'EUR' })
    const late = await service.put(path, { Notes: 'late' }, { 'If-Match': '"1"' })
    expect([late.status, late.error.Code]).to.deep.equal([412, 'CONFLICT'])
    expect(late.error.Details.map(({ Field }) => Field)).to.deep.equal(['MonthlyRent'])
    const put = await service.put(path, { Status: 'Active', LeaseType: null })
    expect([put.data['Status'], put.data['LeaseType'], put.data['Duration']]).to.deep.equal([
      'Active',
      null,
      12,
    ])
    expect(await total({ filter: `Status eq 'Active' and Tenant eq '${lease.tenant}'` })).to.equal(1)
  })

  it('a draft is handed in, and approved by someone else; its history tells who, when and why', async () => {
    const { Id } = await service.create('contract', contractBody({ Notes: `approved ${word}` }))
    const handedIn = await service.post(`contract/${Id}/workflow/submit`, { Comment: 'signed by both' })
    expect([handedIn.status, handedIn.data['Status']], handedIn.text).to.deep.equal([200, 'PendingApproval'])
    const own = await service.post(`contract/${Id}/workflow/approve`)
    expect([own.status, own.error.Code]).to.deep.equal([403, 'FORBIDDEN'])
    const token = await service.post('identity/tokens', { Name: `Owner ${word}`, Roles: ['system_admin'] })
    const owner = client(() => service.url, textOf(token.data, 'Token'))
    const approved = await owner.post(
      `contract/${Id}/workflow/approve`,
      { Comment: 'agreed' },
      { 'Idempotency-Key': `approve-${word}` },
    )
    expect([approved.status, approved.headers.get('ETag')], approved.text).to.deep.equal([200, '"3"'])
    expect((await service.get(`contract/${Id}`)).data).to.deep.equal(approved.data)
    expect(await total({ filter: `Id eq '${Id}' and Status eq 'Active'` })).to.equal(1)
    expect((await owner.post(`contract/${Id}/workflow/approve`)).status).to.equal(409)
    const { list } = await service.get(`contract/${Id}/history`)
    expect(list.map(({ Event, Reason, By }) => [Event, Reason, (By as Fields)['Name']])).to.deep.equal([
      ['contract.created', null, 'bootstrap'],
      ['contract.workflow.submitted', 'signed by both', 'bootstrap'],
      ['contract.workflow.approved', 'agreed', `Owner ${word}`],
    ])
  })

  it('of many approvals at the same moment one is done, and told once', async () => {
    const { Id } = await service.create('contract', contractBody())
    await service.post(`contract/${Id}/workflow/submit`)
    const token = await service.post('identity/tokens', { Name: `Racers ${word}`, Roles: ['system_admin'] })
    const racer = client(() => service.url, textOf(token.data, 'Token'))
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => racer.post(`contract/${Id}/workflow/approve`)),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).to.deep.equal([200, ...Array<number>(15).fill(409)])
    const { list } = await service.get(`contract/${Id}/history`)
    expect(list.map(({ Event }) => Event)).to.deep.equal([
      'contract.created',
      'contract.workflow.submitted',
      'contract.workflow.approved',
    ])
  })

  it('a payment that is there makes known that it was received, and is where every reader sees it', async () => {
    const Amount = { Amount: 900, Currency: 'EUR' }
    const { Id } = await service.create('payment', { Amount, GatewayReference: word })
    const received = await service.post(`payment/${Id}/workflow/receive`)
    expect([received.status, received.headers.get('ETag')]).to.deep.equal([200, '"3"'])
    const read = await service.get(`payment/${Id}`)
    expect([read.text, read.headers.get('ETag')]).to.deep.equal([received.text, '"3"'])
    expect((await service.list('payment', { filter: `GatewayReference eq '${word}'` })).list).to.deep.equal([
      received.data,
    ])
    const { list } = await service.get(`payment/${Id}/history`)
    expect(list.map(({ Event }) => Event)).to.deep.equal([
      'payment.created',
      'payment.workflow.received',
      'payment.received',
    ])
  })

  it('a create that is sent again makes one contract and is answered alike', async () => {
    const send = () =>
      service.post('contract', contractBody({ Notes: `again ${word}` }), { 'Idempotency-Key': word })
    const [first, again] = [await send(), await send()]
    expect([again.status, again.text]).to.deep.equal([first.status, first.text])
    expect(again.headers.get('Idempotency-Replayed')).to.equal('true')
    expect(await total({ search: `again ${word}` })).to.equal(1)
    const other = await service.post('contract', contractBody(), { 'Idempotency-Key': word })
    expect([other.status, other.error.Code]).to.deep.equal([409, 'CONFLICT'])
  })

  it('contracts of the past are brought in as a batch, each row by itself', async () => {
    const old = contractBody({ StartDate: '2019-05-01', Tenant: lease.tenant, Notes: `old ${word}` })
    const Records = [old, { ...old, MonthlyRent: 5 }, old]
    const { list } = await service.post('contract/batch', { Records, AllowPastDates: true })
    expect(list.map(({ Index, Status }) => [Index, Status])).to.deep.equal([
      [0, 201],
      [1, 400],
      [2, 201],
    ])
    expect(await total({ search: `old ${word}` })).to.equal(2)
  })

  it('a tenant from another system is entered once and then kept up to date', async () => {
    const upsert = (Name: string) => service.put(`tenant/by/ExternalId/${word}`, { Name })
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(upsert))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, 201])
    expect(new Set(answers.map(({ data }) => data['Id']))).to.have.property('size', 1)
    expect((await upsert('e')).status).to.equal(200)
    const duplicate = await service.post('tenant', { Name: 'f', ExternalId: word })
    expect([duplicate.status, duplicate.error.Code]).to.deep.equal([409, 'CONFLICT'])
  })

  it('many contracts at once have each a number of its own, rising', async () => {
    const numbers = (
      await Promise.all(Array.from({ length: 64 }, () => service.create('contract', contractBody())))
    ).map((record) => textOf(record, 'ContractNumber'))
    expect(new Set(numbers)).to.have.property('size', 64)
    const sequence = (number: unknown) => Number(String(number).split('-')[2])
    for (const number of numbers)
      expect(sequence(number)).to.be.greaterThan(sequence(contract['ContractNumber']))
  })

  it('the tenant gets another name, and every contract shows it', async () => {
    const Name = `Renée ${word}`
    await service.patch(`tenant/${lease.tenant}`, { Name })
    await eventually('every contract shows it', async () => {
      expect((await service.get(path)).data['Tenant']).to.deep.equal({ Id: lease.tenant, Name })
      expect(await total({ search: `renee ${word}` })).to.equal(3)
      expect(await total({ filter: `Tenant/Name eq '${Name}'` })).to.equal(3)
      expect(await total({ search: `zoe ${word}` })).to.equal(0)
    })
  })

  it('the tenant cannot be deleted while contracts look it up', async () => {
    const answer = await service.delete(`tenant/${lease.tenant}`)
    expect([answer.status, answer.error.Code]).to.deep.equal([409, 'CONFLICT'])
    expect(answer.error.Details[0]).to.include({ Field: 'contract.Tenant' })
    expect(answer.error.Details[0]?.Message).to.include(contract.Id)
  })

  it('the contract is deleted: it is gone for every reader, and back as it was when it is restored', async () => {
    const { data: before } = await service.get(path)
    const deleted = await service.delete(path)
    expect([deleted.status, deleted.data]).to.deep.equal([200, { Id: contract['Id'], IsDeleted: true }])
    expect((await service.get(path)).status).to.equal(404)
    expect((await service.delete(path)).status).to.equal(404)
    expect(await total({ filter: `Id eq '${contract.Id}'` })).to.equal(0)
    expect(await total({ search: `renee ${word}` })).to.equal(2)

    const restored = await service.post(`${path}/restore`)
    expect(restored.status).to.equal(200)
    expect(restored.data).to.deep.equal({ ...before, ModifiedAt: restored.data['ModifiedAt'] })
    expect(await total({ search: `renee ${word}` })).to.equal(3)
  })

  it('a restart changes nothing', async () => {
    const paths = [
      path,
      `contract?search=${word}&sort=Id`,
      `tenant/${lease.tenant}`,
      `${path}?expand=Tenant,Unit`,
    ]
    const answers = async () => Promise.all(paths.map(async (one) => (await service.get(one)).text))
    const before = await answers()
    await service.restart()
    expect(await answers()).to.deep.equal(before)
    const again = await service.post('contract', contractBody({ Notes: `again ${word}` }), {
      'Idempotency-Key': word,
    })
    expect(again.headers.get('Idempotency-Replayed')).to.equal('true')
  })

  it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
}
