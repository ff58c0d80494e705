/** The TypeScript client: imports, exports, dry runs, what waits, rights, sessions, templates of mails. */
import { expect } from 'chai'
import { Conflict, Daybook, where } from '../../clients/typescript/src/index.ts'
import { EMAIL, PASSWORD, testService, TOKEN, type TestService } from '../support/service.ts'
import { contractBody } from '../system/support/leasing.ts'

describe('areas of the TypeScript client', () => {
  let service: TestService
  let daybook: Daybook
  before(async () => {
    service = await testService()
    daybook = new Daybook({ url: service.url, token: TOKEN })
  })
  after(() => service.discard())

  const namesOf = async (filter: ReturnType<typeof where>) =>
    (await daybook['tenant']!.page({ filter, sort: 'Name' })).Data.map((one) => one['Name'])

  it('imports a file: looks at it, commits it, gets what was refused, and undoes it', async () => {
    const file = 'Name,ExternalId,Email\nAnn,E-1,ann@example.org\nBob,E-2,no address\n'
    const sent = await daybook.imports.upload('tenant', file, { FileName: 'tenants.csv' })
    const checked = await daybook.imports.finished(sent.Id)
    expect([checked.State, checked.Check?.['WouldCreate'], checked.Check?.['WouldFail']]).to.deep.equal([
      'Checked',
      1,
      1,
    ])
    expect(JSON.stringify(await daybook.imports.preview(sent.Id, { rows: 1 }))).to.include('Ann')
    await daybook.imports.commit(sent.Id)
    const done = await daybook.imports.finished(sent.Id)
    expect([done.State, done.Counts.Created, done.Counts.Failed]).to.deep.equal(['CompletedWithErrors', 1, 1])
    const failed = await daybook.imports.rows(sent.Id, { outcome: 'failed' }).toArray({ limit: 10 })
    expect(failed.map(({ Cells }) => Cells['Name'])).to.deep.equal(['Bob'])
    expect(await (await daybook.imports.errors(sent.Id)).text()).to.include('no address')
    const again = await daybook.imports.upload('tenant', file).catch((error: unknown) => error)
    expect(again).to.be.instanceOf(Conflict)

    const undo = await daybook.imports.undo(sent.Id, { Commit: true })
    expect((await daybook.imports.finished(undo.Id)).State).to.equal('Completed')
    expect((await daybook.imports.get(sent.Id)).State).to.equal('Undone')
    expect((await daybook.imports.list().toArray({ limit: 5 })).map(({ Id }) => Id)).to.include(sent.Id)
  })

  it('says which column goes where', async () => {
    const file = new Blob(['Debiteur\nCarl\n'])
    const asked = await daybook.imports.finished((await daybook.imports.upload('tenant', file)).Id)
    expect([asked.State, asked.Columns]).to.deep.equal(['NeedsMapping', ['Debiteur']])
    await daybook.imports.map(asked.Id, { Mode: 'create', Fields: { Name: { Column: 'Debiteur' } } })
    expect((await daybook.imports.finished(asked.Id)).State).to.equal('Checked')
    await daybook.imports.cancel(asked.Id)
    const Mapping = { Fields: { Name: { Column: 'Debiteur' } } }
    const whole = await daybook.imports.upload('tenant', 'Debiteur\nCarla\n', { Commit: true, Mapping })
    expect((await daybook.imports.finished(whole.Id)).State).to.equal('Completed')
    expect(await namesOf(where`startswith(Name, ${'Carl'})`)).to.deep.equal(['Carla'])
  })

  it('keeps a mapping for files that come again, and a schedule that picks them up', async () => {
    const { profiles, schedules } = daybook.imports
    const Mapping = { Mode: 'create', Fields: { Name: { Column: 'Debiteur' } } }
    const profile = await profiles.create({ Name: 'Debtors', Object: 'tenant', Mapping })
    const [fits] = await profiles.suggest({ Object: 'tenant', Columns: ['Debiteur'] })
    expect([fits?.Profile, fits?.Name]).to.deep.equal([profile.Id, 'Debtors'])
    const sent = await daybook.imports.upload('tenant', 'Debiteur\nDora\n', {
      Profile: profile.Id,
      Commit: true,
    })
    expect((await daybook.imports.finished(sent.Id)).State).to.equal('Completed')
    const body = {
      Name: 'Office',
      Object: 'tenant',
      Profile: profile.Id,
      RunAs: 'editor',
      Source: { Kind: 'folder', Folder: 'nowhere' },
      Cron: '0 6 * * *',
    }
    const schedule = await schedules.create(body)
    expect((await schedules.replace(schedule.Id, { ...body, Cron: '0 7 * * *' }))['Cron']).to.equal(
      '0 7 * * *',
    )
    expect((await schedules.test(schedule.Id)).Takes).to.deep.equal([])
    expect((await schedules.run(schedule.Id))['IsActive']).to.equal(true)
    await schedules.delete(schedule.Id)
    await profiles.delete(profile.Id)
    expect(await profiles.list().toArray({ limit: 5 })).to.deep.equal([])
  })

  it('exports a list as it stands', async () => {
    await daybook['building']!.batch([{ Name: 'B, the second' }, { Name: 'A' }])
    const csv = await daybook['building']!.export({ fields: ['Name'], sort: '-Name', asOf: 'now' })
    expect((await csv.text()).replace('\ufeff', '').trim().split('\r\n')).to.deep.equal([
      'Name',
      '"B, the second"',
      'A',
    ])
    const xlsx = await daybook['building']!.export({ format: 'xlsx', filter: where`Name eq ${'A'}` })
    expect((await xlsx.text()).slice(0, 2)).to.equal('PK')
  })

  it('tries every write without storing anything', async () => {
    const tenants = daybook['tenant']!
    const { record } = await tenants.create({ Name: 'Dry', ExternalId: 'dry' })
    const dryRun = true
    expect((await tenants.create({ Name: 'Dry 2' }, { dryRun })).record).to.include({
      Id: null,
      Name: 'Dry 2',
    })
    expect((await tenants.update(record.Id, { Name: 'Dry 3' }, { dryRun })).record['Name']).to.equal('Dry 3')
    await tenants.replace(record.Id, { Name: 'Dry 4' }, { dryRun })
    await tenants.upsert('ExternalId', 'dry', { Name: 'Dry 5' }, { dryRun })
    expect((await tenants.batch([{ Name: 'Dry 6' }], { dryRun })).map(({ Status }) => Status)).to.deep.equal([
      201,
    ])
    await tenants.delete(record.Id, { dryRun })
    const contract = (await daybook['contract']!.create(contractBody())).record.Id
    expect((await daybook['contract']!.act(contract, 'submit', { dryRun })).record['Status']).to.equal(
      'PendingApproval',
    )
    expect((await daybook['contract']!.workflow(contract)).State).to.equal('Draft')
    expect(await namesOf(where`startswith(Name, ${'Dry'})`)).to.deep.equal(['Dry'])
  })

  it('knows what waits, who may do what, and where users are logged in', async () => {
    const { record } = await daybook['contract']!.create(contractBody())
    await daybook['contract']!.act(record.Id, 'submit')
    const person = await service.post('identity/users', {
      Email: 'approver@example.com',
      Name: 'Approver',
      Password: PASSWORD,
      Roles: ['approver'],
    })
    const approver = person.data.Id
    const rights = await daybook.users.rights(approver, { object: 'contract', key: record.Id })
    const approve = rights.Rights.find(({ Action }) => Action === 'workflow:approve')
    expect([rights.Key, approve?.Allowed]).to.deep.equal([record.Id, true])
    const { waiting, hasMore } = await daybook.waiting({ object: 'contract' })
    expect([waiting.map(({ Record }) => Record.Id), hasMore]).to.deep.equal([[], false])

    await new Daybook({ url: service.url }).session.logIn({
      Email: 'approver@example.com',
      Password: PASSWORD,
    })
    const [session, ...more] = await daybook.users.sessions(approver)
    expect(more).to.deep.equal([])
    await daybook.users.endSession(approver, session!.Id)
    expect(await daybook.users.sessions(approver)).to.deep.equal([])
    expect(
      (await daybook.users.list({ filter: `Email eq '${EMAIL}'` }).toArray({ limit: 2 })).length,
    ).to.equal(1)
  })

  it('stores templates of mails once for each name', async () => {
    const mails = new Daybook({ url: service.notificationUrl, token: TOKEN }).templates
    const texts = {
      name: 'Reminder',
      trigger: 'contract-submitted',
      subject: 'A contract',
      body: '<p>Look at it.</p>',
    }
    expect(await mails.validate(texts)).to.have.property('warnings')
    expect((await mails.push(texts)).template.version).to.equal(1)
    expect((await mails.push({ ...texts, subject: 'Your contract' })).template.version).to.equal(2)
    expect((await mails.list().toArray({ limit: 9 })).map(({ subject }) => subject)).to.deep.equal([
      'Your contract',
    ])
  })
})
