/**
 * What becomes of imports where uploaded files are of another time than the events, or lost. Cell by cell, as
 * docs/durability.md lists it.
 */
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { countsIn, imported, settled } from '../imports/import-support.ts'
import { newFolder, testService, type Data, type TestService } from '../support/service.ts'

const FIRST = 'Name,Email\nAnn,ann@example.org\nBob,none\n'
const SECOND = 'Name,Email\nCem,cem@example.org\nDag,dag@example.org\n'

describe('a folder of which uploaded files are of another time', function () {
  this.timeout(60_000)
  let service: TestService
  /** Of the old state: one row was refused. Of the new one: checked, and read no further. */
  let committed: Data
  let checked: Data
  const states = { old: newFolder(), new: newFolder() }

  const keep = async (folder: string) => {
    await service.stop()
    cpSync(service.dataDir, folder, { recursive: true })
  }
  before(async () => {
    service = await testService()
    committed = await imported(service, 'tenant/import?commit=true', FIRST)
    await keep(states.old)
    await service.restart()
    checked = await imported(service, 'tenant/import', SECOND)
    expect([committed['State'], checked['State']]).to.deep.equal(['CompletedWithErrors', 'Checked'])
    await keep(states.new)
  })
  after(async () => {
    await service.discard()
    for (const folder of Object.values(states)) rmSync(folder, { recursive: true, force: true })
  })

  const start = async (events: 'old' | 'new', files: 'old' | 'new' | 'lost') => {
    await service.stop()
    rmSync(service.dataDir, { recursive: true })
    cpSync(states[events], service.dataDir, { recursive: true })
    const folder = join(service.dataDir, 'files')
    rmSync(folder, { recursive: true, force: true })
    if (files !== 'lost') cpSync(join(states[files], 'files'), folder, { recursive: true })
    await service.restart()
  }
  const statusOf = async (whole: Data, path: string) =>
    (await service.get(`imports/${whole.Id}/${path}`)).status
  const committing = async (whole: Data) => {
    const answer = await service.post(`imports/${whole.Id}/commit`)
    expect(answer.status, answer.text).to.equal(202)
    return settled(service, whole.Id)
  }
  const names = async () => (await service.list('tenant', { sort: 'Name' })).list.map(({ Name }) => Name)

  for (const files of ['old', 'new'] as const) {
    it(`knows nothing of a later import, and takes its content: events old, files ${files}`, async () => {
      await start('old', files)
      expect((await service.get(`imports/${checked.Id}`)).status).to.equal(404)
      expect(await statusOf(committed, 'errors.csv')).to.equal(200)
      const again = await imported(service, 'tenant/import?commit=true', SECOND)
      expect([again['State'], countsIn(again)['Created']]).to.deep.equal(['Completed', 2])
      expect(await names()).to.deep.equal(['Ann', 'Cem', 'Dag'])
    })
  }

  it('goes on where everything is there: events new, files new', async () => {
    await start('new', 'new')
    expect(await statusOf(checked, 'preview')).to.equal(200)
    expect(countsIn(await committing(checked))['Created']).to.equal(2)
    expect(await names()).to.deep.equal(['Ann', 'Cem', 'Dag'])
  })

  for (const files of ['old', 'lost'] as const)
    it(`says that the file is lost, and takes it once more: events new, files ${files}`, async () => {
      await start('new', files)
      expect(await statusOf(checked, 'preview')).to.equal(404)
      const failed = await committing(checked)
      expect(failed['State']).to.equal('Failed')
      expect(failed['Reason']).to.match(/send the file once more/)
      expect(await names()).to.deep.equal(['Ann'])
      const again = await imported(service, 'tenant/import?commit=true', SECOND)
      expect([again['State'], countsIn(again)['Created']], JSON.stringify(again)).to.deep.equal([
        'Completed',
        2,
      ])
      expect(await names()).to.deep.equal(['Ann', 'Cem', 'Dag'])
    })

  it('keeps outcomes and undo of what is done: files lost', async () => {
    await start('new', 'lost')
    expect(await statusOf(committed, 'errors.csv')).to.equal(404)
    const { list } = await service.get(`imports/${committed.Id}/rows`)
    expect(list.map(({ Outcome }) => Outcome)).to.deep.equal(['Created', 'Failed'])
    const undone = await service.post(`imports/${committed.Id}/undo`, { Commit: true })
    expect(countsIn(await settled(service, undone.data.Id))).to.include({ Undone: 1, Failed: 0 })
    expect(await names()).to.deep.equal([])
    const again = await imported(service, 'tenant/import?commit=true', FIRST)
    expect(countsIn(again)).to.include({ Created: 1, Failed: 1 })
  })
})
