/** What a restart leaves as it was: everything, byte for byte, whether the read models are kept, gone or built anew. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import { testService, type TestService, textOf } from '../support/service.ts'
import { definitionsFolder, everyField, gadget, type DefinitionFile } from './support/gadget.ts'
import { contractBody, createLease } from './support/leasing.ts'
import { eventually } from './support/eventually.ts'

const READ_MODELS = /^read-models-.*\.db/

describe('after a restart', () => {
  const folder = definitionsFolder(gadget)
  let service: TestService
  const paths: string[] = []

  before(async () => {
    service = await testService({ settings: { DEFINITIONS_DIR: folder.path } })
    await tellMuch()
  })
  after(async () => {
    await service.discard()
    folder.remove()
  })

  /** Creates, changes, deletes, restores and renames; notes every path whose answer may be compared. */
  async function tellMuch(): Promise<void> {
    const lease = await createLease(service)
    const records: string[] = []
    const create = async (object: string, body: Fields) => {
      const { Id } = await service.create(object, body)
      records.push(`${object}/${Id}`)
      return `${object}/${Id}`
    }
    for (let i = 0; i < 30; i++) {
      const path = await create('contract', contractBody({ ...(i % 2 && lease.lookups), Notes: `note ${i}` }))
      if (i % 3 === 0) await service.patch(path, { MonthlyRent: { Amount: 1000 + i }, Duration: i + 1 })
      if (i % 5 === 0) await service.put(path, { Status: 'Active', Notes: null })
      if (i % 7 === 0) await service.delete(path)
      if (i % 14 === 0) await service.post(`${path}/restore`)
    }
    await create('gadget', { ...everyField, Tenant: lease.tenant })
    await create('gadget', { Name: 'plain', Parent: records.at(-1)?.split('/')[1] ?? null })
    await service.put('gadget/by/Code/G-2', { Name: 'upserted' })
    await service.patch(`tenant/${lease.tenant}`, { Name: 'Renamed after the fact' })
    await eventually('all show the new name', async () =>
      expect((await service.list('contract', { search: 'renamed fact' })).pagination.TotalRecords).to.equal(
        (await service.list('contract', { filter: `Tenant eq '${lease.tenant}'` })).pagination.TotalRecords,
      ),
    )
    paths.push(...records, ...records.slice(0, 5).map((path) => `${path}?expand=Tenant`))
    for (const object of ['contract', 'gadget', 'tenant', 'building', 'unit', 'invoice'])
      paths.push(object, `${object}?pageSize=100&sort=-ModifiedAt,Id`, `${object}?page=2&pageSize=3`)
    paths.push(
      'contract?sort=Tenant,-MonthlyRent',
      'contract?expand=Tenant,Building,Unit&pageSize=100',
      `contract?filter=${encodeURIComponent("Tenant/Email eq 'ada@example.com' and MonthlyRent gt 1000")}`,
      'contract?search=note',
      'gadget?search=mobius',
      'gadget?expand=Parent,Tenant',
    )
  }

  const answers = async () => {
    const all: Record<string, string> = {}
    for (const path of paths) {
      const { status, text, headers } = await service.get(path)
      all[path] = `${status} ${headers.get('ETag')} ${text}`
    }
    return all
  }
  /** Path by path, so that a difference is seen for what it is. */
  const expectSame = async (before: Record<string, string>) => {
    const after = await answers()
    for (const path of paths) expect(after[path], path).to.equal(before[path])
  }
  const readModelFiles = () => readdirSync(service.dataDir).filter((name) => READ_MODELS.test(name))

  it('every answer is the same', async () => {
    const before = await answers()
    expect(Object.values(before).filter((answer) => answer.startsWith('200'))).to.have.length.above(40)
    await service.restart()
    await expectSame(before)
  })

  it('every answer is the same though the read models were deleted', async () => {
    const before = await answers()
    await service.stop()
    expect(readModelFiles()).not.to.deep.equal([])
    for (const name of readModelFiles()) rmSync(join(service.dataDir, name))
    await service.restart()
    await expectSame(before)
  })

  it('it goes on where it was: numbers rise, versions count on, unique values stay taken', async () => {
    const first = await service.create('contract', contractBody())
    const { Id } = first
    await service.restart()
    const next = await service.create('contract', contractBody())
    expect(textOf(next, 'ContractNumber') > textOf(first, 'ContractNumber')).to.equal(true)
    const changed = await service.patch(`contract/${Id}`, { Notes: 'x' }, { 'If-Match': '"1"' })
    expect([changed.status, changed.headers.get('ETag')]).to.deep.equal([200, '"2"'])
    expect((await service.post('gadget', { Name: 'x', Code: 'G-1' })).status).to.equal(409)
    expect((await service.put('gadget/by/Code/G-2', { Name: 'upserted again' })).status).to.equal(200)
  })

  describe('a definition', () => {
    const nickname = { name: 'Nickname', type: 'text' }
    const withField = (field: object) => ({ ...gadget, fields: [...gadget.fields, field] })
    const restartWith = async (definition: DefinitionFile) => {
      folder.write(definition)
      await service.restart()
    }
    const total = async (parameters: Record<string, string>) =>
      (await service.list('gadget', parameters)).pagination.TotalRecords

    it('that has a new field shows it as null in records of before', async () => {
      const { list: before } = await service.list('gadget', { sort: 'Id' })
      const files = readModelFiles()
      await restartWith(withField(nickname))
      const { list: after } = await service.list('gadget', { sort: 'Id' })
      expect(after).to.deep.equal(before.map((record) => ({ ...record, Nickname: null })))
      expect((await service.get('openapi.json')).text).to.include('"Nickname"')
      expect(
        readModelFiles().filter((name) => files.includes(name)),
        'the files of before',
      ).to.deep.equal([])
    })

    it('that has a new field takes it from then on', async () => {
      const [first] = (await service.list('gadget', { sort: 'Id' })).list
      const { data } = await service.patch(`gadget/${textOf(first, 'Id')}`, { Nickname: 'Gizmo' })
      expect(data['Nickname']).to.equal('Gizmo')
      expect(await total({ filter: "Nickname eq 'Gizmo'", sort: 'Nickname' })).to.equal(1)
      expect(await total({ search: 'gizm' })).to.equal(0)
    })

    it('that has made a field searchable finds records of before by it', async () => {
      await restartWith(withField({ ...nickname, searchable: true }))
      expect(await total({ search: 'gizm' })).to.equal(1)
    })

    it('that has lost a field hides it, and shows it again when it is back', async () => {
      await restartWith(gadget)
      expect(await total({ search: 'gizm' })).to.equal(0)
      expect((await service.list('gadget', { filter: 'Nickname ne null' })).status).to.equal(400)
      expect((await service.get('gadget')).text).not.to.include('Nickname')
      await restartWith(withField(nickname))
      expect(await total({ filter: "Nickname eq 'Gizmo'" })).to.equal(1)
    })
  })

  describe('afterwards', () => {
    it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
  })
})
