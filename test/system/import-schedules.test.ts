/** Files that others put into a folder become records in their time: whole ones, each content once. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { testService, type Data, type TestService } from '../support/service.ts'
import { settled } from '../imports/import-support.ts'

const row = (n: number) => `Naam,Nummer\nPicked ${n},S-${n}\n`

describe('a schedule of imports', function () {
  this.timeout(60_000)
  let service: TestService
  let folder: string
  let company: string
  let body: Record<string, unknown>
  let schedule: Data
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'daybook-pick-up-'))
    mkdirSync(join(folder, 'out'))
    service = await testService()
    company = ((await service.get('identity/me')).data['Company'] as { readonly Id: string }).Id
    await service.restart({ IMPORT_FOLDERS: `${company}/office=${folder}` })
    const profile = await service.post('import-profiles', {
      Name: 'Office',
      Object: 'tenant',
      Mapping: { Fields: { Name: { Column: 'Naam' }, ExternalId: { Column: 'Nummer' } } },
    })
    body = {
      Name: 'Office',
      Object: 'tenant',
      Profile: profile.data.Id,
      RunAs: 'system_admin',
      Source: { Kind: 'folder', Folder: 'office', Path: 'out' },
      Files: '*.csv',
      StableSeconds: 0,
      Cron: '0 0 1 1 *',
      TimeZone: 'Europe/Amsterdam',
    }
    const made = await service.post('import-schedules', body)
    expect(made.status, made.text).to.equal(201)
    schedule = made.data
  })
  after(async () => {
    await service.discard()
    rmSync(folder, { recursive: true, force: true })
  })

  const put = (name: string, text: string) => writeFileSync(join(folder, 'out', name), text)
  const lying = (below = '') => readdirSync(join(folder, 'out', below)).sort()
  const stateOf = async (key = schedule.Id) => (await service.get(`import-schedules/${key}`)).data
  interface LastRun {
    readonly EndedAt?: string
    readonly Found: number
    readonly Taken: readonly string[]
    readonly Left: number
    readonly Troubles: readonly { readonly File: string | null; readonly Message: string }[]
  }
  const ran = async (key = schedule.Id): Promise<LastRun> => {
    const earlier = (await stateOf(key))['LastRun']
    const asked = await service.post(`import-schedules/${key}/run`)
    expect(asked.status, asked.text).to.equal(202)
    for (;;) {
      const { LastRun: last, NextRunAt } = await stateOf(key)
      const isNew = JSON.stringify(last) !== JSON.stringify(earlier) && last !== null
      if (isNew && (NextRunAt as string) > new Date().toISOString()) return last as unknown as LastRun
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const total = async () =>
    (await service.list('tenant', { filter: "startswith(ExternalId,'S-')", pageSize: '1' })).pagination
      .TotalRecords

  it('knows when it is due, and shows what it would take', async () => {
    expect(schedule['NextRunAt']).to.match(/^20\d\d-12-31T23:00:00Z$/)
    put('a.csv', row(1))
    put('a.csv.part', 'Naam')
    const test = await service.post(`import-schedules/${schedule.Id}/test`)
    expect(test.data, test.text).to.deep.equal({
      Takes: [{ Name: 'a.csv', Bytes: row(1).length }],
      PassesOver: [{ Name: 'a.csv.part', Bytes: 4 }],
    })
  })

  it('takes whole files, imports them in its role, and moves them away', async () => {
    const last = await ran()
    expect([last.Found, last.Taken.length, last.Troubles], JSON.stringify(last)).to.deep.equal([1, 1, []])
    const whole = await settled(service, last.Taken[0]!)
    expect([whole['State'], whole['Schedule'], whole['By']]).to.deep.equal([
      'Completed',
      schedule.Id,
      { Id: schedule.Id, Name: 'Office' },
    ])
    expect(await total()).to.equal(1)
    expect(lying()).to.deep.equal(['a.csv.part', 'processed'])
    expect(lying('processed')[0]).to.match(/^a\.csv\.\d{8}T\d{6}Z\.[0-9a-f]{8}$/)
  })

  it('takes no content twice, whatever its name, and other content under the same name', async () => {
    put('b.csv', row(1))
    renameSync(join(folder, 'out', 'a.csv.part'), join(folder, 'a.csv.part'))
    const same = await ran()
    expect([same.Taken, same.Troubles]).to.deep.equal([[], []])
    put('a.csv', row(2))
    expect((await ran()).Taken).to.have.length(1)
    expect(await total()).to.equal(2)
    expect(lying()).to.deep.equal(['processed'])
  })

  it('sets aside what is refused, and nothing of it is written', async () => {
    put('c.csv', 'Naam,Nummer\n,S-3\nGood,S-4\n')
    put('d.csv', '')
    const last = await ran()
    expect(last.Troubles).to.deep.equal([{ File: 'd.csv', Message: 'the file is empty' }])
    expect(await total()).to.equal(2)
    expect(lying('failed')[0]).to.match(/^c\.csv/)
    rmSync(join(folder, 'out', 'd.csv'))
  })

  it('says when its folder is away, and goes on when it is back', async () => {
    renameSync(join(folder, 'out'), join(folder, 'away'))
    const [trouble] = (await ran()).Troubles
    expect(trouble).to.deep.equal({ File: null, Message: 'the folder is not there: ENOENT' })
    renameSync(join(folder, 'away'), join(folder, 'out'))
    put('e.csv', row(5))
    expect((await ran()).Taken).to.have.length(1)
  })

  it('says what cannot be moved away, and imports nothing of it again', async () => {
    renameSync(join(folder, 'out', 'processed'), join(folder, 'out', 'earlier'))
    writeFileSync(join(folder, 'out', 'processed'), 'no folder')
    put('f.csv', row(6))
    const first = await ran()
    expect(first.Taken).to.have.length(1)
    expect(first.Troubles.map(({ File }) => File)).to.deep.equal(['f.csv'])
    expect(first.Troubles[0]!.Message).to.match(/^it was imported, and cannot be moved to processed: /)
    const before = await total()
    expect((await ran()).Taken).to.deep.equal([])
    await service.restart({ IMPORT_FOLDERS: `${company}/office=${folder}` })
    expect((await ran()).Taken).to.deep.equal([])
    rmSync(join(folder, 'out', 'processed'))
    renameSync(join(folder, 'out', 'earlier'), join(folder, 'out', 'processed'))
    expect((await ran()).Troubles).to.deep.equal([])
    expect(lying()).to.not.include('f.csv')
    expect(await total()).to.equal(before)
    expect((await stateOf())['Health']).to.equal('Ok')
  })

  it('takes bank statements as what they are', async () => {
    await service.create('bankaccount', { Name: 'Rent', Iban: 'NL91ABNA0417164300' })
    const { Profile: _, ...rest } = body
    const bank = { ...rest, Name: 'Bank', Object: 'bankstatement', Files: '*.sta', DoneFile: '*.ok' }
    const made = await service.post('import-schedules', bank)
    expect(made.status, made.text).to.equal(201)
    put(
      'day.sta',
      ':20:S\n:25:NL91ABNA0417164300\n:28C:1\n:60F:C290401EUR100,00\n:61:2904020402C50,00NTRFNONREF//B1\n' +
        ':86:Rent\n:62F:C290402EUR150,00\n-\n',
    )
    expect((await ran(made.data.Id)).Taken).to.deep.equal([])
    put('day.ok', '')
    const last = await ran(made.data.Id)
    expect([last.Taken.length, last.Troubles]).to.deep.equal([1, []])
    expect((await settled(service, last.Taken[0]!))['State']).to.equal('Completed')
    expect(lying('processed').filter((name) => name.startsWith('day.'))).to.have.length(2)
    expect((await service.list('banktransaction')).pagination.TotalRecords).to.equal(1)
  })

  it('is refused where it can never work', async () => {
    const wrong = async (more: object) => {
      const answer = await service.post('import-schedules', { ...body, Name: 'Wrong', ...more })
      expect(answer.status, answer.text).to.equal(400)
      return answer.error.Details.map(({ Field }) => Field)
    }
    expect(await wrong({ Cron: '0 0 31 2 *' })).to.deep.equal(['Cron'])
    expect(await wrong({ TimeZone: 'Mars/Base' })).to.deep.equal(['TimeZone'])
    expect(await wrong({ Profile: 'importprofile-01jc3y4v5e8z9k2m7q6r5t4w3x' })).to.deep.equal(['Profile'])
    const escape = { Kind: 'folder', Folder: 'office', Path: '../..' }
    expect(await wrong({ Source: escape })).to.deep.equal(['Source.Path'])
  })
})
