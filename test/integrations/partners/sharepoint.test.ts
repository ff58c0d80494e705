/** Files of a SharePoint library: each change of theirs is seen here once, and a contract has one folder there. */
import { expect } from 'chai'
import { makeToken, withToken } from '../../api/identity/identity-support.ts'
import { seededRandom } from '../../support/random.ts'
import { testService, type TestService } from '../../support/service.ts'
import { manualClock } from '../../support/write-side.ts'
import { eventually } from '../../system/support/eventually.ts'
import { contractBody } from '../../system/support/leasing.ts'
import { AT_ONCE } from '../dropped-answers.ts'
import { graph, type Graph } from '../support/graph.ts'
import { LOOPBACK } from '../support/partner.ts'
import { untilPassing } from '../support/passing.ts'

const DAY_MS = 86_400_000

describe('documents of a SharePoint library', function () {
  this.timeout(60_000)
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  let books: Graph
  let service: TestService
  let integration: string
  before(async () => {
    books = await graph(clock.now, seededRandom(3).next)
    service = await testService({ settings: { ...LOOPBACK, ...AT_ONCE }, clock })
    const made = await service.post('integrations', {
      Definition: 'sharepoint',
      BaseUrl: books.partner.url,
      TokenUrl: `${books.partner.url}/token`,
      Settings: { drive: 'library' },
      Credentials: { clientId: 'id', clientSecret: 'secret' },
    })
    expect(made.status, made.text).to.equal(201)
    integration = made.data.Id
    books.change('root', { name: 'root', root: {}, folder: {} })
    books.change('f1', { name: 'Contracts', folder: {} })
    for (let n = 1; n <= 10; n++)
      books.change(`d${n}`, { name: `File ${n}.pdf`, size: n, file: { mimeType: 'application/pdf' } })
    await service.post(`integrations/${integration}/start`)
  })
  after(async () => {
    await service.discard()
    await books.partner.stop()
  })

  const until = untilPassing(clock, 120_000)
  const document = async (id: string) =>
    (await service.list('document', { filter: `ExternalId eq '${id}'` })).list[0]!
  const total = async (filter?: string) =>
    (await service.list('document', filter === undefined ? {} : { filter })).pagination.TotalRecords

  it('are here page by page, and folders are not', async () => {
    await until('10 are here', async () => expect(await total()).to.equal(10))
    expect(await document('d3')).to.include({ Title: 'File 3.pdf', Size: 3, MediaType: 'application/pdf' })
  })

  it('are renamed, changed and archived once each, asked for from where the last poll ended', async () => {
    const before = books.delivered()
    books.change('d1', { name: 'Renamed.pdf' })
    books.change('d2', { size: 99 })
    books.change('d3', { deleted: { state: 'deleted' } })
    await until('all is seen', async () => {
      expect(await document('d1')).to.include({ FileName: 'Renamed.pdf' })
      expect(await document('d2')).to.include({ Size: 99 })
      expect(await document('d3')).to.include({ Status: 'Archived' })
    })
    expect(books.delivered() - before).to.equal(3)
    expect(await total()).to.equal(10)
    const { Id } = await document('d1')
    expect((await service.get(`document/${Id}/history`)).list).to.have.length(2)
  })

  it('are asked for from the beginning where the link has ended, and changed only where they differ', async () => {
    books.change('d4', { name: 'After.pdf' })
    books.expire()
    await until('it is seen', async () => expect(await document('d4')).to.include({ FileName: 'After.pdf' }))
    const { Id } = await document('d5')
    expect((await service.get(`document/${Id}/history`)).list).to.have.length(1)
    expect(await total()).to.equal(10)
  })

  it('have one folder for each contract that becomes active, though answers are lost', async () => {
    const approver = withToken((await makeToken(service, ['approver', 'viewer'])).value)
    books.lose(30)
    const contracts = []
    for (let n = 0; n < 6; n++) {
      const contract = await service.create('contract', contractBody())
      await service.post(`contract/${contract.Id}/workflow/submit`)
      const path = `contract/${contract.Id}/workflow/approve`
      expect((await service.post(path, undefined, approver)).status).to.equal(200)
      contracts.push(contract)
    }
    await until('all have folders', async () => {
      const { pagination } = await service.get(`integrations/${integration}/sent?state=sent`)
      expect(pagination.TotalRecords).to.equal(6)
    })
    books.lose(0)
    const names = [...books.items.values()].map(({ name }) => name)
    for (const { ContractNumber } of contracts)
      expect(names.filter((name) => name === ContractNumber)).to.have.length(1)
    expect((await service.get(`integrations/${integration}/sent?state=refused`)).list).to.deep.equal([])
  })
  const live = () =>
    [...books.subscriptions.values()].filter(
      ({ expirationDateTime }) => Date.parse(expirationDateTime as string) > clock.now(),
    )
  const give = async (clientState: string | null) => {
    const given = await service.patch(`integrations/${integration}`, { Credentials: { clientState } })
    expect(given.status, given.text).to.equal(200)
  }

  it('are looked at as soon as Graph says so, and only where it proves that it is Graph', async () => {
    expect(books.subscriptions.size).to.equal(0)
    await give('ours')
    await until('there is a subscription', async () => expect(live()).to.have.length(1))
    const [subscription] = live()
    expect(subscription).to.include({
      notificationUrl: `${service.url}/api/v1/in/${integration}/notifications`,
      clientState: 'ours',
    })
    await until('it is known until when', async () => {
      const [poll] = (await service.get(`integrations/${integration}/polls`)).list
      expect(Date.parse(poll!['NotifiedUntil'] as string)).to.be.above(clock.now() + 13 * DAY_MS)
    })
    books.change('d6', { name: 'At once.pdf' })
    expect(await books.notify('another')).to.equal(0)
    expect(await books.notify()).to.equal(1)
    // No time passes: no poll is due.
    await eventually('it is seen', async () =>
      expect(await document('d6')).to.include({ FileName: 'At once.pdf' }),
    )
    books.change('d6', { name: 'Again.pdf' })
    expect(await books.notify()).to.equal(1)
    await eventually('the same words mean something once more', async () =>
      expect(await document('d6')).to.include({ FileName: 'Again.pdf' }),
    )
    const { list } = await service.get(`integrations/${integration}/inbox?state=applied&pageSize=100`)
    expect(list.filter(({ Entry }) => Entry === 'notifications')).to.have.length(2)
  })

  it('are watched without a gap: renewed before that ends, and asked for anew where Graph has lost it', async () => {
    const [first] = live()
    for (let days = 0; days < 40; days++) {
      clock.pass(DAY_MS)
      await until('a subscription lasts', async () => {
        const [now] = live()
        expect(now!['id']).to.equal(first!['id'])
        expect(Date.parse(now!['expirationDateTime'] as string)).to.be.above(clock.now() + 6 * DAY_MS)
      })
    }
    books.forget()
    books.change('d7', { name: 'Meanwhile.pdf' })
    clock.pass(8 * DAY_MS)
    await until('there is another', async () => expect(live()).to.have.length(1))
    expect(live()[0]!['id']).not.to.equal(first!['id'])
    await until('what was missed is here', async () =>
      expect(await document('d7')).to.include({ FileName: 'Meanwhile.pdf' }),
    )
  })

  it('are watched by one subscription with the new secret, though answers are lost', async () => {
    books.lose(50)
    await give('another secret')
    await until('it has the new secret', async () => {
      expect(live().map(({ clientState }) => clientState)).to.deep.equal(['another secret'])
    })
    books.lose(0)
    // What was made by an attempt without an answer is gone as well.
    await until('it is known here', async () => {
      expect(await books.notify()).to.equal(1)
      expect((await service.get(`integrations/${integration}`)).data).to.include({ State: 'running' })
    })
    expect(books.faults).to.deep.equal([])
  })

  it('are not watched any more once the integration is off, or has no secret', async () => {
    await give(null)
    await until('it is ended', async () => expect(books.subscriptions.size).to.equal(0))
    await give('third')
    await until('it is there again', async () => expect(live()).to.have.length(1))
    expect((await service.post(`integrations/${integration}/stop`)).status).to.equal(200)
    await until('it is ended', async () => expect(books.subscriptions.size).to.equal(0))
  })
})
