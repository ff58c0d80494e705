/** The TypeScript client against the service: what it reads and writes, and that it does both only once. */
import { expect } from 'chai'
import {
  Conflict,
  Daybook,
  Forbidden,
  Invalid,
  NotFound,
  Unauthorized,
  where,
  type DaybookError,
} from '../../clients/typescript/src/index.ts'
import { makeToken } from '../api/identity/identity-support.ts'
import { EMAIL, PASSWORD, testService, TOKEN, type TestService } from '../support/service.ts'
import { contractBody } from '../system/support/leasing.ts'

describe('the TypeScript client', () => {
  let service: TestService
  let daybook: Daybook
  before(async () => {
    service = await testService()
    daybook = new Daybook({ url: service.url, token: TOKEN })
  })
  after(() => service.discard())

  /** The error that the promise ends in. */
  const failure = async (promise: Promise<unknown>): Promise<DaybookError> => {
    const outcome = await promise.catch((error: unknown) => error)
    return outcome as DaybookError
  }

  it('creates, gets, changes, deletes and restores a record', async () => {
    const { record, etag } = await daybook['contract']!.create(contractBody({ Notes: 'one' }))
    expect(etag).to.equal('"1"')
    expect((await daybook['contract']!.get(record.Id)).record).to.deep.equal(record)
    const changed = await daybook['contract']!.update(
      record.Id,
      { Notes: 'two' },
      { ifMatch: etag, reason: 'påslag' },
    )
    expect([changed.etag, changed.record['Notes']]).to.deep.equal(['"2"', 'two'])
    expect((await daybook['contract']!.get(record.Id, { asOf: 1, fields: ['Notes'] })).record).to.deep.equal({
      Id: record.Id,
      Notes: 'one',
    })
    const history = await daybook['contract']!.history(record.Id).toArray({ limit: 10 })
    expect(history.map(({ Event, Reason }) => [Event, Reason])).to.deep.equal([
      ['contract.created', null],
      ['contract.updated', 'påslag'],
    ])
    expect(await daybook['contract']!.delete(record.Id)).to.deep.equal({ Id: record.Id, IsDeleted: true })
    expect(await failure(daybook['contract']!.get(record.Id))).to.be.instanceOf(NotFound)
    expect((await daybook['contract']!.restore(record.Id)).record['Notes']).to.equal('two')
  })

  it('creates many, and by a unique value', async () => {
    const rows = await daybook['tenant']!.batch([{ Name: 'Ann' }, { Nope: 1 }])
    expect(rows.map(({ Status }) => Status)).to.deep.equal([201, 400])
    const first = await daybook['tenant']!.upsert('ExternalId', 'A/1 ?', { Name: 'Bo' })
    const again = await daybook['tenant']!.upsert('ExternalId', 'A/1 ?', { Name: 'Bob' })
    expect([again.record.Id, again.record['Name']]).to.deep.equal([first.record.Id, 'Bob'])
  })

  it('takes workflow actions and says which there are', async () => {
    const { record } = await daybook['contract']!.create(contractBody())
    expect((await daybook['contract']!.workflow(record.Id)).State).to.equal('Draft')
    const submitted = await daybook['contract']!.act(record.Id, 'submit', { Comment: 'as agreed' })
    expect(submitted.record['Status']).to.equal('PendingApproval')
    const refused = await failure(daybook['contract']!.act(record.Id, 'approve'))
    expect(refused).to.be.instanceOf(Forbidden)
  })

  it('finds by filters whatever is in their values', async () => {
    const names = [`O'Brien') or ('a' eq 'a`, 'åse & co', 'plain']
    for (const Name of names) await daybook['tenant']!.create({ Name, ExternalId: `f-${Name}` })
    for (const Name of names) {
      const { Data } = await daybook['tenant']!.page({ filter: where`Name eq ${Name}`, fields: ['Name'] })
      expect(Data.map((one) => one['Name'])).to.deep.equal([Name])
    }
    const some = where`Name in ${names.slice(1)}`
    const both = await daybook['tenant']!.page({ filter: where`${some} and not (Name eq ${'plain'})` })
    expect(both.Data).to.have.length(1)
  })

  it('iterates over a list as it was when it began', async () => {
    await daybook['building']!.batch(Array.from({ length: 230 }, (_, n) => ({ Name: `House ${1_000 + n}` })))
    const seen: string[] = []
    for await (const building of daybook['building']!.list({ sort: 'Name', fields: ['Name'] })) {
      if (seen.length % 50 === 0) {
        await daybook['building']!.create({ Name: `House 0${seen.length}` })
        await daybook['building']!.delete(building.Id)
      }
      seen.push(String(building['Name']))
    }
    expect(seen).to.deep.equal(Array.from({ length: 230 }, (_, n) => `House ${1_000 + n}`))
    const some = await daybook['building']!.list({ filter: where`startswith(Name, ${'House 0'})` }).toArray({
      limit: 3,
    })
    expect(some).to.have.length(3)
  })

  it('follows changes from where it stopped', async () => {
    const start = async (since?: string) => {
      const batches = []
      for await (const batch of daybook['unit']!.changes(since === undefined ? {} : { since }))
        batches.push(batch)
      return batches
    }
    const [begun] = await start('now')
    const { record } = await daybook['unit']!.create({ Number: '1' })
    await daybook['unit']!.delete((await daybook['unit']!.create({ Number: '2' })).record.Id)
    const batches = await start(begun!.next)
    const changes = batches.flatMap((batch) => batch.changes)
    expect(changes.map((one) => ('IsDeleted' in one ? 'deleted' : one.Id))).to.deep.equal([
      record.Id,
      'deleted',
    ])
    expect((await start(batches.at(-1)!.next)).flatMap((batch) => batch.changes)).to.deep.equal([])
  })

  it('says what was wrong as errors that one can switch on', async () => {
    const contracts = daybook['contract']!
    const { record, etag } = await contracts.create(contractBody())
    await contracts.update(record.Id, { Notes: 'x', Duration: 7 })
    const conflict = await failure(contracts.update(record.Id, { Notes: 'y' }, { ifMatch: etag }))
    expect(conflict).to.be.instanceOf(Conflict)
    expect((conflict as Conflict).fields).to.have.members(['Notes', 'Duration', 'EndDate'])
    expect((conflict as Conflict).by.join()).to.equal('bootstrap')
    const invalid = await failure(contracts.create({ Nope: 1 }))
    expect(invalid).to.be.instanceOf(Invalid)
    expect(invalid.details.map(({ Field }) => Field)).to.include('Nope')
    expect(invalid.message)
      .to.include('Nope')
      .and.to.match(/request [0-9a-f-]{36}\)$/)
    const stranger = new Daybook({ url: service.url, token: 'daybook_nobody' })
    const refused = await failure(stranger.session.me())
    expect(refused).to.be.instanceOf(Unauthorized)
    expect(String(refused.stack)).not.to.include('daybook_nobody')
  })

  it('knows tokens, webhooks, the warehouse, the audit and who it is', async () => {
    expect((await daybook.session.me()).Roles).to.include('system_admin')
    const issued = await daybook.tokens.create({ Name: 'job', Roles: ['viewer'] })
    const viewer = new Daybook({ url: service.url, token: issued.Token })
    expect((await viewer.session.me()).Name).to.equal('job')
    expect((await daybook.tokens.rotate(issued.Id)).Token).not.to.equal(issued.Token)
    await daybook.tokens.delete(issued.Id)
    const webhook = await daybook.webhooks.create({
      Url: 'https://hooks.example.com/x',
      Events: ['contract.*'],
    })
    await daybook.webhooks.ping(webhook.Id)
    expect(await daybook.webhooks.deliveries(webhook.Id).toArray({ limit: 5 })).to.have.length(1)
    const { Rows } = await daybook.warehouse.query('SELECT count(*) AS n FROM wh_Leasing_Tenant')
    expect(Rows[0]![0]).to.be.greaterThan(0)
    const csv = await daybook.warehouse.download('wh_Leasing_Tenant', 'csv')
    expect(await csv.text()).to.include('Key')
    const audit = await daybook.audit({ object: 'webhook' }).toArray({ limit: 1 })
    expect(audit[0]!['Event']).to.equal('webhook.created')
  })

  it('iterates without the grant audit over pages as they are', async () => {
    const viewer = new Daybook({ url: service.url, token: (await makeToken(service, ['viewer'])).value })
    expect(await failure(viewer['tenant']!.list().toArray({ limit: 1 }))).to.be.instanceOf(Forbidden)
    expect(await viewer['tenant']!.list({ live: true }).toArray({ limit: 1 })).to.have.length(1)
  })

  it('logs in without a company where there is one', async () => {
    const person = new Daybook({ url: service.url })
    const me = await person.session.logIn({ Email: EMAIL, Password: PASSWORD })
    expect(me.Email).to.equal(EMAIL)
  })
})
