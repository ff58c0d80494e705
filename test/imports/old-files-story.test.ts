/** What imports leave behind: events of rows that webhooks do not hear of, and files that are not kept for ever. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { testService, type Data, type TestService } from '../support/service.ts'
import { startReceiver, type Receiver } from '../webhooks/receiver.ts'
import { countsIn, CSV, imported, settled, then } from './import-support.ts'

const DAY_MS = 86_400_000

describe('files of imports', function () {
  this.timeout(60_000)
  let now = Date.now()
  let service: TestService
  before(async () => {
    service = await testService({ clock: { now: () => now, elapsed: () => performance.now() } })
  })
  after(() => service.discard())

  const filesThere = () => {
    const folder = join(service.dataDir, 'files')
    if (!existsSync(folder)) return 0
    return readdirSync(folder)
      .filter((name) => name.startsWith('company-'))
      .flatMap((name) => readdirSync(join(folder, name))).length
  }

  it('are removed when their time has come, and what became of rows is kept', async () => {
    const whole = await imported(service, 'tenant/import?commit=true', 'Name,Email\nAnn,\nBob,none\n')
    const waiting = await imported(service, 'tenant/import', 'Name\nWaits\n')
    expect(filesThere()).to.be.above(2)
    now += 91 * DAY_MS
    await service.restart({})
    const gone = async (key: string): Promise<Data> => {
      for (;;) {
        const { data } = await service.get(`imports/${key}`)
        if (data['FilesRemovedAt'] !== null) return data
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    expect((await gone(waiting.Id))['State']).to.equal('Cancelled')
    expect((await gone(whole.Id))['State']).to.equal('CompletedWithErrors')
    const { list } = await service.get(`imports/${whole.Id}/rows`)
    expect(list.map(({ Outcome }) => Outcome)).to.deep.equal(['Created', 'Failed'])
    for (const path of ['errors.csv', 'errors.xlsx', 'preview'])
      expect((await service.get(`imports/${whole.Id}/${path}`)).status, path).to.equal(404)
    expect((await service.post(`imports/${whole.Id}/retry`)).status).to.equal(409)
    expect(filesThere()).to.equal(0)
    const undone = await service.post(`imports/${whole.Id}/undo`, { Commit: true })
    expect(countsIn(await settled(service, undone.data.Id))).to.include({ Undone: 1, Failed: 0 })
  })
})

describe('an import that is announced as a whole', function () {
  this.timeout(60_000)
  let service: TestService
  let receiver: Receiver
  before(async () => {
    receiver = await startReceiver()
    service = await testService({ settings: { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' } })
  })
  after(async () => {
    await service.discard()
    await receiver.stop()
  })

  it('sends webhooks of itself, and of none of its rows, also when it is undone', async () => {
    const hook = { Url: `${receiver.url}/hook`, Events: ['tenant.*', 'import.completed', 'import.undone'] }
    expect((await service.post('webhooks', hook)).status).to.equal(201)
    const Mapping = { Fields: { Name: { Column: 'Name' } }, Notify: 'summary' }
    const profile = await service.post('import-profiles', { Name: 'Quiet', Object: 'tenant', Mapping })
    const path = `tenant/import?commit=true&profile=${profile.data.Id}`
    const whole = await imported(service, path, 'Name\nAnn\nBob\n', CSV)
    expect(countsIn(whole)).to.include({ Created: 2 })
    const undo = await then(service, whole, 'undo', { Commit: true })
    expect(countsIn(undo)).to.include({ Undone: 2 })
    await service.create('tenant', { Name: 'Loud' })
    await receiver.got(4)
    const events = receiver.received.map(({ json }) => json.Event).sort()
    expect(events).to.deep.equal(['import.completed', 'import.completed', 'import.undone', 'tenant.created'])
    const { list } = await service.get('audit?event=tenant.created')
    expect(list).to.have.length(3)
  })
})
