/** Files of a SharePoint library: each change of theirs is seen here once, and a contract has one folder there. */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { seededRandom } from '../../support/random.ts'
import { testService, type TestService } from '../../support/service.ts'
import { makeToken, withToken } from '../../api/identity/identity-support.ts'
import { manualClock } from '../../support/write-side.ts'
import { contractBody } from '../../system/support/leasing.ts'
import { AT_ONCE } from '../dropped-answers.ts'
import { LOOPBACK, partner, type Asked, type Partner, type Reply } from '../support/partner.ts'
import { untilPassing } from '../support/passing.ts'

const ROOT = '/v1.0/drives/library/root'
const PAGE = 4

/** A library as Graph shows it: changes since a link, in pages, each item with its latest state only. */
function library(now: () => string, random: () => number) {
  const items = new Map<string, Fields>()
  /** Ids by the order of their changes. */
  const changes: string[] = []
  let [expired, lostOf100, delivered] = [false, 0, 0]
  const change = (id: string, fields: Fields) => {
    const state = { ...items.get(id), ...fields, id }
    items.set(id, {
      ...state,
      eTag: `e${changes.length}`,
      cTag: `c${changes.length}`,
      lastModifiedDateTime: now(),
    })
    changes.push(id)
  }
  const delta = (query: URLSearchParams, url: string): Reply => {
    const [from, end] = (query.get('token') ?? `0-${changes.length}`).split('-').map(Number) as [
      number,
      number,
    ]
    if (expired && query.has('token')) {
      expired = false
      return { status: 410, json: { error: { code: 'resyncRequired' } } }
    }
    const upTo = Number.isNaN(end) || end === undefined ? changes.length : end
    const ids = [...new Set(changes.slice(from, Math.min(from + PAGE, upTo)))]
    delivered += ids.length
    const next = from + PAGE
    const value = ids.map((id) => items.get(id)!)
    return next < upTo
      ? { json: { value, '@odata.nextLink': `${url}${ROOT}/delta?token=${next}-${upTo}` } }
      : { json: { value, '@odata.deltaLink': `${url}${ROOT}/delta?token=${upTo}` } }
  }
  const answer = ({ method, path, query, body }: Asked, url: string): Reply => {
    if (path === `${ROOT}/delta`) return delta(query, url)
    const found = [...items.values()].find(({ name }) => path === `${ROOT}:/${name as string}`)
    if (method === 'GET') return found ? { json: found } : { status: 404, json: {} }
    const sent = JSON.parse(body) as Fields
    if ([...items.values()].some(({ name }) => name === sent['name']))
      return { status: 409, json: { error: { code: 'nameAlreadyExists' } } }
    const id = `folder-${items.size}`
    change(id, sent)
    return { status: 201, json: { id } }
  }
  return {
    items,
    change,
    answer(asked: Asked, url: string): Reply {
      const reply = answer(asked, url)
      return { ...reply, isDropped: random() * 100 < lostOf100 }
    },
    expire: () => void (expired = true),
    lose: (of100: number) => void (lostOf100 = of100),
    delivered: () => delivered,
  }
}

describe('documents of a SharePoint library', function () {
  this.timeout(60_000)
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  const now = () => new Date(clock.now()).toISOString()
  const books = library(now, seededRandom(3).next)
  let service: TestService
  let other: Partner
  let integration: string
  before(async () => {
    other = await partner((asked) => {
      if (asked.path === '/token') {
        const isRight =
          new URLSearchParams(asked.body).get('scope') === 'https://graph.microsoft.com/.default'
        return isRight ? { json: { access_token: 'access', expires_in: 3_600 } } : { status: 400 }
      }
      if (asked.headers.authorization !== 'Bearer access') return { status: 401 }
      return books.answer(asked, other.url)
    })
    service = await testService({ settings: { ...LOOPBACK, ...AT_ONCE }, clock })
    const made = await service.post('integrations', {
      Definition: 'sharepoint',
      BaseUrl: other.url,
      TokenUrl: `${other.url}/token`,
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
    await other.stop()
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
    const names = [...books.items.values()].map(({ name }) => name)
    for (const { ContractNumber } of contracts)
      expect(names.filter((name) => name === ContractNumber)).to.have.length(1)
    expect((await service.get(`integrations/${integration}/sent?state=refused`)).list).to.deep.equal([])
  })
})
