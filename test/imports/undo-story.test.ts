/** An import undone: what it created goes, what it changed gets its earlier values, and what others have changed since stays. */
import { expect } from 'chai'
import { client, testService, type Data, type TestService } from '../support/service.ts'
import { checkIn, countsIn, CSV, imported, settled, then } from './import-support.ts'

const COLUMNS = 'Name,ExternalId,Phone\n'
const rowsIn = async (service: TestService, whole: Data) =>
  (await service.get(`imports/${whole.Id}/rows?pageSize=100`)).list
const messages = async (service: TestService, whole: Data) =>
  (await rowsIn(service, whole)).map(({ Row, Outcome, Message }) => [Row, Outcome, Message ?? ''])

describe('the undo of an import', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  const created = async (
    mark: string,
    count: number,
  ): Promise<{ whole: Data; keys: string[]; file: string }> => {
    const lines = Array.from({ length: count }, (_, i) => `${mark} ${i},${mark}-${i},10${i}\n`)
    const file = COLUMNS + lines.join('')
    const whole = await imported(service, 'tenant/import?commit=true', file)
    expect(countsIn(whole)['Created']).to.equal(count)
    const keys = (await rowsIn(service, whole)).map(({ Id }) => Id)
    return { whole, keys, file }
  }
  const stateOf = async (key: string) => (await service.get(`imports/${key}`)).data
  const undo = (whole: Data, body: object = { Commit: true }) => then(service, whole, 'undo', body)

  it('is checked first, deletes what is untouched, and gives the content back', async () => {
    const { whole, keys, file } = await created('plain', 3)
    const checked = await undo(whole, {})
    expect([checked['Kind'], checked['State'], checked['Undoes']]).to.deep.equal([
      'undo',
      'Checked',
      whole.Id,
    ])
    expect(checkIn(checked)).to.include({ WouldUndo: 3, WouldKeep: 0, WouldFail: 0 })
    expect((await service.get(`tenant/${keys[0]}`)).status).to.equal(200)
    expect((await service.post('tenant/import', file, CSV)).status).to.equal(409)

    const done = await then(service, checked, 'commit')
    expect([done['State'], countsIn(done)['Undone']]).to.deep.equal(['Completed', 3])
    for (const key of keys) expect((await service.get(`tenant/${key}`)).status).to.equal(404)
    const original = await stateOf(whole.Id)
    expect([original['State'], original['UndoneBy']]).to.deep.equal(['Undone', done.Id])
    const [last] = service.eventsOf(keys[0]!).slice(-1)
    expect(last).to.include({ type: 'tenant.deleted', reason: `undo of ${whole.Id}` })
    expect(last!.metadata).to.include({ source: `import:${done.Id}#2`, $causationId: done.Id })
    const again = await service.post(`imports/${whole.Id}/undo`, {})
    expect([again.status, again.error.Message]).to.deep.equal([
      409,
      `${whole.Id} is undone; undo ${done.Id} to have it back.`,
    ])
    expect((await service.post('tenant/import', file, CSV)).status).to.equal(202)
  })

  it('keeps what others have changed or look up, and says who and what; what is left is undone later', async () => {
    const { whole, keys } = await created('kept', 4)
    await service.patch(`tenant/${keys[0]}`, { Phone: '999' })
    await service.delete(`tenant/${keys[1]}`)
    const contract = await service.post('contract', {
      Tenant: keys[2],
      StartDate: '2031-01-01',
      MonthlyRent: { Amount: 1, Currency: 'EUR' },
    })
    expect(contract.status, contract.text).to.equal(201)
    const done = await undo(whole)
    expect(done['State']).to.equal('CompletedWithErrors')
    expect(countsIn(done)).to.include({ Rows: 4, Done: 4, Undone: 1, Kept: 2, Unchanged: 1, Failed: 0 })
    const said = await messages(service, done)
    expect(said.map(([row, outcome]) => [row, outcome])).to.deep.equal([
      [5, 'Undone'],
      [4, 'Kept'],
      [3, 'Unchanged'],
      [2, 'Kept'],
    ])
    expect(said[1]![2]).to.include(contract.data.Id)
    expect(said[3]![2]).to.match(/^Phone was changed at 20.*Z by (user|token)-/)
    expect((await stateOf(whole.Id))['State']).to.equal('PartlyUndone')
    const csv = (await service.get(`imports/${done.Id}/errors.csv`)).text
    expect(csv.split('\r\n').filter((line) => line.includes('Kept'))).to.have.length(2)

    await service.delete(`contract/${contract.data.Id}`)
    const rest = await undo(whole, { Commit: true, Conflicts: 'force' })
    expect(countsIn(rest)).to.include({ Undone: 2, Unchanged: 2, Kept: 0 })
    expect((await stateOf(whole.Id))['State']).to.equal('Undone')
    expect((await service.get(`tenant/${keys[0]}`)).status).to.equal(404)
  })

  it('sets back exactly what a row changed, by what conflicts mean', async () => {
    const { keys } = await created('before', 3)
    const file = `${COLUMNS}after 0,before-0,20\nafter 1,before-1,21\nafter 2,before-2,22\n`
    const whole = await imported(service, 'tenant/import?mode=upsert&commit=true', file)
    expect(countsIn(whole)['Updated']).to.equal(3)
    await service.patch(`tenant/${keys[1]}`, { Email: 'new@example.org' })
    await service.patch(`tenant/${keys[2]}`, { Phone: '777' })
    const valuesOf = async () =>
      Promise.all(
        keys.map(async (key) => {
          const { Name, Phone, Email = null } = (await service.get(`tenant/${key}`)).data
          return [Name, Phone, Email ?? null]
        }),
      )
    const kept = await undo(whole)
    expect(countsIn(kept)).to.include({ Undone: 1, Kept: 2 })
    expect(await valuesOf()).to.deep.equal([
      ['before 0', '100', null],
      ['after 1', '21', 'new@example.org'],
      ['after 2', '777', null],
    ])
    const fields = await undo(whole, { Commit: true, Conflicts: 'fields' })
    expect(countsIn(fields)).to.include({ Undone: 1, Kept: 1, Unchanged: 1 })
    expect(await valuesOf()).to.deep.equal([
      ['before 0', '100', null],
      ['before 1', '101', 'new@example.org'],
      ['before 2', '777', null],
    ])
    const [row] = (await rowsIn(service, fields)).filter(({ Outcome }) => Outcome === 'Kept')
    expect((row!['Errors'] as { Field: string }[]).map(({ Field }) => Field)).to.deep.equal(['Phone'])
    const forced = await undo(whole, { Commit: true, Conflicts: 'force' })
    expect(countsIn(forced)).to.include({ Undone: 1, Unchanged: 2 })
    expect((await valuesOf())[2]).to.deep.equal(['before 2', '102', null])
    expect((await stateOf(whole.Id))['State']).to.equal('Undone')
  })

  it('is undone in its turn, which brings everything back as it was', async () => {
    const { whole, keys, file } = await created('twice', 3)
    const recordsOf = async () =>
      Promise.all(
        keys.map(async (key) => {
          const { ModifiedAt: _, ...fields } = (await service.get(`tenant/${key}`)).data
          return fields
        }),
      )
    const before = await recordsOf()
    const undone = await undo(whole)
    const back = await undo(undone)
    expect([back['State'], countsIn(back)['Undone']]).to.deep.equal(['Completed', 3])
    expect(await recordsOf()).to.deep.equal(before)
    const original = await stateOf(whole.Id)
    expect([original['State'], original['UndoneBy']]).to.deep.equal(['Completed', null])
    expect((await stateOf(undone.Id))['State']).to.equal('Undone')
    expect((await service.post('tenant/import', file, CSV)).status).to.equal(409)
    // Its own undoing does not count as others' changes.
    expect(countsIn(await undo(whole))).to.include({ Undone: 3, Kept: 0 })
    for (const key of keys) expect((await service.get(`tenant/${key}`)).status).to.equal(404)
  })

  it('refuses to give back a value that another record has by now', async () => {
    const { keys } = await created('value', 1)
    const sent = await imported(service, 'tenant/import', `Id,ExternalId\n${keys[0]!},moved\n`)
    const Fields = { Id: { Column: 'Id' }, ExternalId: { Column: 'ExternalId' } }
    await service.put(`imports/${sent.Id}/mapping`, { Mode: 'update', KeyField: 'Id', Fields })
    const whole = await then(service, await settled(service, sent.Id), 'commit')
    expect(countsIn(whole)['Updated'], JSON.stringify(whole)).to.equal(1)
    expect((await service.post('tenant', { Name: 'New', ExternalId: 'value-0' })).status).to.equal(201)
    const done = await undo(whole)
    expect(countsIn(done)).to.include({ Undone: 0, Failed: 1 })
    expect((await messages(service, done))[0]![2]).to.equal('ExternalId another tenant has this value')
    expect((await stateOf(whole.Id))['State']).to.equal('Completed')
  })

  it('works on each row once, whatever happens to its records meanwhile', async () => {
    const { whole, keys } = await created('race', 60)
    const [undoing, ...patches] = await Promise.all([
      service.post(`imports/${whole.Id}/undo`, { Commit: true }),
      ...keys.map((key, i) => service.patch(`tenant/${key}`, { Phone: `race ${i}` })),
    ])
    const done = await settled(service, undoing.data.Id)
    const rows = await rowsIn(service, done)
    expect(rows).to.have.length(60)
    for (const { Id, Outcome } of rows) {
      const isPatched = patches[keys.indexOf(Id)]!.status === 200
      expect([Outcome, (await service.get(`tenant/${Id}`)).status]).to.deep.equal(
        isPatched ? ['Kept', 200] : ['Undone', 404],
      )
    }
  })

  it('takes records that look each other up in the order in which they came', async () => {
    const file = 'Code,Name,AccountType,ParentAccount\nP-1,Parent,Asset,\nC-1,Child,Asset,Parent\n'
    const whole = await imported(service, 'account/import?commit=true', file)
    expect(countsIn(whole), JSON.stringify(whole)).to.include({ Created: 2, Failed: 0 })
    const [parent] = await rowsIn(service, whole)
    const other = await service.post('account', {
      Code: 'O-1',
      Name: 'Other',
      AccountType: 'Asset',
      ParentAccount: parent!.Id,
    })
    const checked = await undo(whole, {})
    expect(checkIn(checked)).to.include({ WouldUndo: 1, WouldKeep: 1 })
    await service.delete(`account/${other.data.Id}`)
    const again = await then(service, checked, 'check')
    expect(checkIn(again)).to.include({ WouldUndo: 2, WouldKeep: 0 })
    expect(countsIn(await then(service, again, 'commit'))).to.include({ Undone: 2, Kept: 0 })
  })

  it('takes what it takes to delete and to update, and an import that wrote something', async () => {
    const { whole } = await created('rights', 1)
    const role = await service.post('identity/roles', {
      Name: 'importer',
      Grants: [{ Object: 'tenant', Actions: ['read', 'create', 'import'] }],
    })
    expect(role.status, role.text).to.equal(201)
    const token = await service.post('identity/tokens', { Name: 'importer', Roles: ['importer'] })
    expect(token.status, token.text).to.equal(201)
    const importer = client(() => service.url, token.data['Token'] as string)
    expect((await importer.post(`imports/${whole.Id}/undo`)).status).to.equal(403)
    expect(
      (await service.post(`imports/${whole.Id}/undo`, { Conflicts: 'all' })).error.Details,
    ).to.deep.equal([{ Field: 'Conflicts', Message: 'must be one of keep, fields, force' }])
    const unwritten = await imported(service, 'tenant/import', `${COLUMNS}Nothing,N-1,\n`)
    expect((await service.post(`imports/${unwritten.Id}/undo`)).status).to.equal(409)
  })
})
