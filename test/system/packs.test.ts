/** Packs where something happens to all of it: another company asks, it is restored, rows are imported, the definition changes. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { countsIn, imported, settled } from '../imports/import-support.ts'
import { logIn, withCookie } from '../api/identity/identity-support.ts'
import { eventually } from './support/eventually.ts'
import { newFolder, testService, type Data, type HeaderValues, type TestService } from '../support/service.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const script = (name: string, ...words: string[]) =>
  promisify(execFile)(process.execPath, [join(ROOT, 'scripts', name), ...words])

describe('packs', function () {
  this.timeout(120_000)
  let service: TestService
  let sensor: Data
  let rows: readonly Data[]
  const folders: string[] = []
  const folder = () => {
    const made = newFolder()
    folders.push(made)
    return made
  }
  beforeEach(async () => {
    service = await testService()
    sensor = await service.create('sensor', { Name: 'Cellar', SerialNumber: 'cellar-1' })
    const Records = Array.from({ length: 40 }, (_, Value) => ({
      Sensor: sensor.Id,
      MeasuredAt: '2026-01-31T10:00:00Z',
      Value,
    }))
    rows = (await service.post('sensorreading/batch', { Records })).list
    expect((await service.patch(`sensorreading/${rows[3]!.Id}`, { Quality: 'Bad' })).status).to.equal(200)
  })
  afterEach(async () => {
    await service.discard()
    for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true })
  })

  const all = (parameters = {}, headers?: HeaderValues) =>
    service.list('sensorreading', { sort: 'Value', pageSize: '100', ...parameters }, headers)

  it('are of one company: another sees no row of them, by whatever way it asks', async () => {
    const { Id: company } = (
      await service.post('identity/companies', {
        Name: 'Other',
        AdminEmail: 'bo@example.com',
        AdminPassword: 'correct horse battery staple',
      })
    ).data
    const bo = { Email: 'bo@example.com', Password: 'correct horse battery staple', CompanyKey: company }
    const other = { ...withCookie(await logIn(service, bo)), Origin: service.url }
    const own = await service.get('sensorreading?pageSize=1', other)
    expect(own.status, own.text).to.equal(200)
    expect(own.pagination.TotalRecords).to.equal(0)
    for (const { Id } of [rows[0]!, rows[3]!, rows[39]!]) {
      const path = `sensorreading/${Id}`
      for (const answer of [
        await service.get(path, other),
        await service.get(`${path}/history`, other),
        await service.get(`${path}?asOf=1`, other),
        await service.patch(path, { Value: 1_000 }, other),
        await service.delete(path, other),
        await service.post(`${path}/restore`, undefined, other),
      ])
        expect(answer.status, answer.text).to.equal(404)
    }
    const Records = [{ Sensor: sensor.Id, MeasuredAt: '2026-01-31T10:00:00Z', Value: 1 }]
    const [refused] = (await service.post('sensorreading/batch', { Records }, other)).list
    expect(refused!['Status']).to.equal(400)
    expect((await service.get('sensorreading/changes?pageSize=100', other)).list).to.deep.equal([])
    expect((await all()).pagination.TotalRecords).to.equal(40)
  })

  it('are not records: their own Keys name nothing', async () => {
    const pack = `sensorreading/${rows[0]!.Id.slice(0, -2)}00`
    const nothing = `sensorreading/${rows[0]!.Id.slice(0, -2)}zz`
    for (const below of ['', '?asOf=1', '?asOf=2999-01-01T00:00:00Z', '/history', '/workflow']) {
      const [answer, none] = [await service.get(pack + below), await service.get(nothing + below)]
      expect(answer.status, below).to.equal(404)
      expect(answer.text.replaceAll(pack.split('/')[1]!, '')).to.equal(
        none.text.replaceAll(nothing.split('/')[1]!, ''),
      )
    }
  })

  it('are in a backup, and read the same where it is restored', async () => {
    const [before, history] = [
      (await all()).text,
      (await service.get(`sensorreading/${rows[3]!.Id}/history`)).text,
    ]
    const [copy, restored] = [join(folder(), 'backup'), join(folder(), 'restored')]
    await script('backup.ts', service.dataDir, copy)
    await script('restore.ts', copy, restored)
    await service.stop()
    rmSync(service.dataDir, { recursive: true, force: true })
    cpSync(restored, service.dataDir, { recursive: true })
    await service.restart()
    expect((await all()).text).to.equal(before)
    expect((await service.get(`sensorreading/${rows[3]!.Id}/history`)).text).to.equal(history)
    expect((await service.patch(`sensorreading/${rows[5]!.Id}`, { Quality: 'Bad' })).status).to.equal(200)
  })

  it('stand beside rows that are imported, which can be undone', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `${sensor.Id},2026-02-01T10:00:00Z,${1_000 + n}`)
    const file = `Sensor,MeasuredAt,Value\n${lines.join('\n')}\n`
    const whole = await imported(service, 'sensorreading/import?commit=true', file)
    expect(countsIn(whole), JSON.stringify(whole)).to.include({ Created: 30 })
    expect((await all()).pagination.TotalRecords).to.equal(70)
    const again = await imported(service, 'sensorreading/import?commit=true', 'Value\nwarm\n')
    expect(countsIn(again)).to.not.include({ Created: 1 })
    const undo = (await service.post(`imports/${whole.Id}/undo`, { Commit: true })).data
    expect(countsIn(await settled(service, undo.Id))).to.include({ Undone: 30, Kept: 0 })
    expect((await all()).pagination.TotalRecords).to.equal(40)
  })

  it('are read as they were where the definition is no longer appendOnly, and new rows are events of their own', async () => {
    const before = (await all()).text
    const own = folder()
    const path = join('FacilityManagement', 'sensorreading.json')
    const definition = JSON.parse(readFileSync(join(ROOT, 'definitions', path), 'utf8')) as Record<
      string,
      unknown
    >
    delete definition['appendOnly']
    delete definition['$schema']
    mkdirSync(join(own, 'FacilityManagement'))
    writeFileSync(join(own, path), JSON.stringify(definition))
    await service.restart({ DEFINITIONS_DIR: own })
    expect((await all()).text).to.equal(before)
    const streams = service.streams().length
    const Records = [50, 51].map((Value) => ({
      Sensor: sensor.Id,
      MeasuredAt: '2026-02-01T10:00:00Z',
      Value,
    }))
    const made = await service.post('sensorreading/batch', { Records })
    expect(made.list.map(({ Status }) => Status)).to.deep.equal([201, 201])
    expect(service.streams().length - streams).to.equal(2)
    expect((await service.patch(`sensorreading/${rows[7]!.Id}`, { Quality: 'Bad' })).status).to.equal(200)
    expect((await all()).list.map(({ Value }) => Value)).to.deep.equal([...Array(40).keys(), 50, 51])
    await service.patch(`sensor/${sensor.Id}`, { Name: 'Boiler room' })
    await eventually('all show the new name', async () =>
      expect((await all({ filter: "Sensor/Name eq 'Boiler room'" })).pagination.TotalRecords).to.equal(42),
    )
    const shown = (await all()).list.map(({ Sensor }) => (Sensor as { readonly Name: string }).Name)
    expect(new Set(shown)).to.deep.equal(new Set(['Boiler room']))
    await service.restart({})
    const back = await all()
    expect(back.list.map(({ Value }) => Value)).to.deep.equal([...Array(40).keys(), 50, 51])
    expect(back.list[7]).to.include({ Quality: 'Bad' })
  })
})
