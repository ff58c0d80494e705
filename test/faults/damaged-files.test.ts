/** A file that is damaged: the start says which and what to do, or puts aside what can be built from the events. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { testService, type TestService } from '../support/service.ts'

describe('a start with a damaged file', function () {
  this.timeout(30_000)
  let service: TestService

  beforeEach(async () => {
    service = await testService()
    const { headers } = await service.post('tenant', { Name: 'Ada' })
    await namesInWarehouse(headers)
    await service.stop()
  })
  afterEach(() => service.discard())

  const namesInWarehouse = async (headers: Headers) => {
    const Sql = 'SELECT Name FROM wh_Leasing_Tenant ORDER BY Name'
    const atLeast = { 'Daybook-At-Least': headers.get('Daybook-Position')! }
    const answer = await service.post('warehouse/query', { Sql }, atLeast)
    return (answer.data as unknown as { Rows: unknown[][] }).Rows.flat()
  }
  const pathOf = (pattern: RegExp) =>
    join(
      service.dataDir,
      readdirSync(service.dataDir, { recursive: true, encoding: 'utf8' }).find((name) => pattern.test(name))!,
    )
  const damages = {
    'a file that is no database': (path: string) =>
      writeFileSync(path, 'this is not a database, '.repeat(500)),
    'a database whose first page is damaged': (path: string) => {
      const bytes = readFileSync(path)
      bytes.fill(0xa5, 100, 4_096)
      writeFileSync(path, bytes)
    },
    'a folder': (path: string) => {
      rmSync(path)
      mkdirSync(path)
    },
  }
  const startFault = () =>
    service.restart().then(
      () => 'started',
      (error: Error) => error.message,
    )

  it('of which the warehouse is read later is no fault of the statement that reads it', async () => {
    await service.restart()
    const path = pathOf(/^warehouse.company-\w+\.db$/)
    const bytes = readFileSync(path)
    bytes.fill(0xa5, 4_096)
    writeFileSync(path, bytes)
    const answer = await service.post('warehouse/query', { Sql: 'SELECT count(*) FROM wh_Leasing_Tenant' })
    expect([answer.status, answer.error.Code], answer.text).to.deep.equal([503, 'SERVER_ERROR'])
  })

  for (const [what, damage] of Object.entries(damages)) {
    it(`names the event file and says what to do: ${what}`, async () => {
      damage(join(service.dataDir, 'events.db'))
      const fault = await startFault()
      expect(fault).to.include(join(service.dataDir, 'events.db')).and.to.include('estore a backup')
      expect(fault).to.not.include('holds no events')
    })

    for (const [name, pattern] of [
      ['read models', /^read-models-\w+\.db$/],
      ['the state of the warehouse', /^warehouse.state\.db$/],
      ['the warehouse of a company', /^warehouse.company-\w+\.db$/],
    ] as const)
      it(`puts aside ${name} and builds it from the events: ${what}`, async () => {
        const path = pathOf(pattern)
        damage(path)
        const fault = await startFault()
        // Whether a file that cannot be opened is damaged is not for the service to say.
        if (what === 'a folder') return expect(fault).to.include(path).and.to.include('delete it')
        expect(fault).to.equal('started')
        expect((await service.list('tenant')).list.map(({ Name }) => Name)).to.deep.equal(['Ada'])
        const { headers } = await service.post('tenant', { Name: 'Bob' })
        expect(await namesInWarehouse(headers)).to.deep.equal(['Ada', 'Bob'])
        const said = service.logged.filter(({ message }) => /damaged/.test(message))
        expect(said, JSON.stringify(service.logged)).to.have.length(1)
        const aside = readdirSync(service.dataDir).filter((one) => one.endsWith('.damaged'))
        expect(aside).to.have.length(1)
        expect(JSON.stringify(said)).to.include(join(service.dataDir, aside[0]!))
      })

    it(`names the lock and says what to do: ${what}`, async () => {
      damage(join(service.dataDir, 'lock.db'))
      expect(await startFault())
        .to.include(join(service.dataDir, 'lock.db'))
        .and.to.include('elete')
      expect(existsSync(join(service.dataDir, 'events.db'))).to.equal(true)
    })
  }
})
