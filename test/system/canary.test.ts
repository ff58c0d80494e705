/**
 * Two companies whose every text is marked. Each asks for everything in every way, also for what is the other's; whatever
 * it hears, in bodies, headers, errors, exports, webhooks or the log, is searched for the other's marks.
 */
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import { APP_ORIGIN, logIn, makeToken, withCookie } from '../api/identity/identity-support.ts'
import { client, type Answer, type Client, type Sent } from '../support/service.ts'
import type { Receiver } from '../webhooks/receiver.ts'
import { eventually } from './support/eventually.ts'
import { contractBody } from './support/leasing.ts'
import type { MainProcess } from './support/main-process.ts'
import { talkativeMain, type TalkativeMain } from './support/talkative-main.ts'
import { unlike } from '../support/unlike.ts'

/** Found by `canary`, which both of them have. */
const MARKS = ['Canary1kestrel', 'Canary2merlin'] as const
type Mark = (typeof MARKS)[number]

interface Company {
  readonly mark: Mark
  readonly key: string
  readonly admin: Client
  /** What there is, by its kind. */
  readonly things: ReadonlyMap<string, string>
  readonly since: string
  readonly heard: { readonly asked: string; readonly answer: string }[]
}

const PASSWORD = 'correct horse battery staple'

describe('two companies', function () {
  this.timeout(120_000)
  let talkative: TalkativeMain
  let main: MainProcess
  let receiver: Receiver
  let companies: Company[]

  before(async () => {
    talkative = await talkativeMain({ APP_ORIGIN, RATE_LIMIT_PER_MINUTE: '0' })
    ;({ main, receiver } = talkative)
    companies = [await furnish(MARKS[0]), await furnish(MARKS[1])]
  })
  after(() => talkative.discard())

  /** A company with one of everything, all of it marked. */
  const furnish = async (mark: Mark): Promise<Company> => {
    const operator = client(() => main.url)
    const login = { Email: `${mark}@example.com`, Password: PASSWORD }
    const firm = await operator.post('identity/companies', {
      Name: `${mark} Ltd`,
      AdminEmail: login.Email,
      AdminPassword: PASSWORD,
      AdminName: `Admin ${mark}`,
    })
    const key = firm.data.Id
    const cookie = withCookie(await logIn(operator, { ...login, CompanyKey: key }))
    const { value } = await makeToken(operator, ['system_admin'], cookie)
    const admin = client(() => main.url, value)
    const things = new Map<string, string>()
    const make = async (kind: string, path: string, body: Fields) => {
      const headers = { 'Idempotency-Key': `make-${kind}`, 'Daybook-Reason': `because ${mark}` }
      const answer = await admin.post(path, body, headers)
      expect(answer.status, answer.text).to.equal(201)
      things.set(kind, answer.data.Id)
      return answer.data.Id
    }
    await make('webhook', 'webhooks', {
      Url: `${receiver.url}/${mark}`,
      Events: ['*'],
      Secret: `secret ${mark} 0123456789`,
      Description: mark,
    })
    const tenant = { Name: `Ann ${mark}`, Email: `ann@${mark}.example`, Phone: mark, ExternalId: 'same' }
    const Tenant = await make('tenant', 'tenant', tenant)
    const Building = await make('building', 'building', { Name: `House ${mark}`, City: mark })
    const Unit = await make('unit', 'unit', { Number: mark, Building })
    const lease = contractBody({ Tenant, Building, Unit, Notes: `Notes ${mark}` })
    const contract = await make('contract', 'contract', lease)
    const gone = await make('deleted', 'contract', lease)
    await admin.delete(`contract/${gone}`)
    await admin.post(`contract/${contract}/workflow/submit`, { Comment: `please ${mark}` })
    await make('user', 'identity/users', {
      ...login,
      Email: `u${login.Email}`,
      Name: mark,
      Roles: ['viewer'],
    })
    await make('token', 'identity/tokens', { Name: mark, Roles: ['viewer'] })
    await make('role', 'identity/roles', {
      Name: mark.toLowerCase(),
      Description: mark,
      Grants: [{ Object: 'tenant', Actions: ['read'], Rows: `Name ne '${mark}'` }],
    })
    const [sent] = await eventually('a delivery', async () => {
      const { list } = await admin.get(`webhooks/${things.get('webhook')}/deliveries`)
      expect(list).to.not.deep.equal([])
      return list
    })
    things.set('delivery', sent!.Id)
    const since = (await admin.get('contract/changes')).json['Next'] as string
    return { mark, key, admin, things, since, heard: [] }
  }

  const other = (company: Company) => companies.find((one) => one !== company)!

  /** Remembers the whole answer, but for the Keys that the question named. */
  const ask = async (company: Company, method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const answer = await company.admin.send(method, path, sent)
    const question = `${path} ${JSON.stringify(sent.body ?? '')}`
    let whole = `${[...answer.headers].map((header) => header.join(': ')).join('\n')}\n\n${answer.text}`
    for (const key of other(company).things.values())
      if (question.includes(key)) whole = whole.replaceAll(key, '…')
    company.heard.push({ asked: `${method} ${path}`, answer: whole })
    return answer
  }

  const OBJECTS = ['tenant', 'building', 'unit', 'contract']

  it('each find their own, all of it and nothing else', async () => {
    for (const company of companies) {
      for (const object of OBJECTS) {
        const get = (query: string) => ask(company, 'GET', `${object}?${query}`)
        const lookups = object === 'contract' ? 'Tenant,Building,Unit' : object === 'unit' ? 'Building' : ''
        for (const query of [
          '',
          'search=canary',
          ...(lookups ? [`expand=${lookups}`] : []),
          'sort=-CreatedAt&pageSize=1',
        ]) {
          const answer = await get(query)
          expect([answer.status, answer.pagination.TotalRecords], `${object}?${query}`).to.deep.equal([
            200, 1,
          ])
        }
        const asOf = new Date(Date.now() + 1_000).toISOString()
        expect((await get(`asOf=${asOf}&search=canary`)).pagination.TotalRecords).to.equal(1)
        const changes = await ask(company, 'GET', `${object}/changes`)
        expect(changes.list.filter(({ IsDeleted }) => IsDeleted !== true)).to.have.length(1)
        const key = company.things.get(object)!
        for (const below of ['', '?asOf=1', '/history', ...(object === 'contract' ? ['/workflow'] : [])])
          expect((await ask(company, 'GET', `${object}/${key}${below}`)).status, below).to.equal(200)
      }
      for (const path of [
        'identity/users',
        'identity/tokens',
        'identity/roles',
        'webhooks',
        'audit',
        'audit/export',
      ])
        expect((await ask(company, 'GET', path)).status, path).to.equal(200)
      for (const path of [
        'identity/me',
        'warehouse',
        'warehouse/snapshot',
        'openapi.json',
        '/docs',
        'nope',
        '/nope',
      ])
        await ask(company, 'GET', path)
      for (const path of ['identity/companies', 'projections'])
        expect((await ask(company, 'GET', path)).status, path).to.equal(403)
      for (const table of ['Tenant', 'Contract', 'Unit_history'])
        for (const format of ['json', 'csv', 'jsonl'])
          await ask(company, 'GET', `warehouse/wh_Leasing_${table}?format=${format}`)
      for (const { Id } of (await ask(company, 'GET', `webhooks/${company.things.get('webhook')}/deliveries`))
        .list)
        await ask(company, 'GET', `webhooks/${company.things.get('webhook')}/deliveries/${Id}`)
    }
  })

  it('ask the warehouse for everything that SQL can say', async () => {
    for (const company of companies)
      for (const Sql of [
        'SELECT * FROM wh_Leasing_Tenant',
        'SELECT * FROM wh_Leasing_Contract_history',
        'SELECT name, sql FROM sqlite_master',
        'SELECT * FROM pragma_database_list',
        'SELECT group_concat(Name) FROM wh_Leasing_Tenant',
        `ATTACH '${other(company).key}.db' AS x`,
        "SELECT readfile('x')",
      ])
        await ask(company, 'POST', 'warehouse/query', { body: { Sql } })
  })

  it('find what is the other’s as little as what is nowhere', async () => {
    for (const company of companies) {
      const theirs = other(company).things
      const keyOf = (kind: string) => theirs.get(kind)!
      const alike = async (
        method: string,
        key: string,
        pathOf: (key: string) => string,
        bodyOf?: (key: string) => Fields,
      ) => {
        const send = (one: string) => ask(company, method, pathOf(one), bodyOf ? { body: bodyOf(one) } : {})
        const [foreign, unknown] = [await send(key), await send(unlike(key))]
        const what = `${method} ${pathOf(key)}`
        expect([foreign.status, foreign.text.replaceAll(key, unlike(key))], what).to.deep.equal([
          unknown.status,
          unknown.text,
        ])
        return foreign
      }
      const looked = await alike(
        'POST',
        keyOf('tenant'),
        () => 'contract',
        (Tenant) => contractBody({ Tenant }),
      )
      expect(looked.status).to.equal(400)
      const own = company.things.get('contract')!
      await alike(
        'PATCH',
        keyOf('unit'),
        () => `contract/${own}`,
        (Unit) => ({ Unit }),
      )
      await alike(
        'POST',
        keyOf('building'),
        () => 'unit/batch',
        (Building) => ({ Records: [{ Number: 'x', Building }] }),
      )
      for (const query of [(key: string) => `Tenant eq '${key}'`, (key: string) => `Tenant/Id in ('${key}')`])
        expect(
          (await alike('GET', keyOf('tenant'), (key) => `contract?filter=${query(key)}`)).pagination
            .TotalRecords,
        ).to.equal(0)
      for (const kind of ['contract', 'deleted', 'user', 'role', 'token', 'webhook'])
        expect(
          (await alike('GET', keyOf(kind), (key) => `audit?key=${key}`)).pagination.TotalRecords,
        ).to.equal(0)
      await alike('GET', keyOf('user'), (key) => `audit?actor=${key}`)
      for (const object of OBJECTS)
        for (const below of ['', '?asOf=1', '?fields=Id', '/history'])
          expect((await alike('GET', keyOf(object), (key) => `${object}/${key}${below}`)).status).to.equal(
            404,
          )
      await alike('GET', keyOf('contract'), (key) => `contract/${key}?expand=Tenant,Building,Unit`)
      await alike('GET', keyOf('deleted'), (key) => `contract/${key}/history`)
      await alike('POST', keyOf('deleted'), (key) => `contract/${key}/restore`)
      const ownHook = `webhooks/${company.things.get('webhook')}`
      for (const [method, below, body] of [
        ['GET', ''],
        ['GET', '/deliveries'],
        ['GET', '/deliveries?state=delivered&event=tenant.created'],
        ['GET', `/deliveries/${keyOf('delivery')}`],
        ['POST', `/deliveries/${keyOf('delivery')}/redeliver`],
        ['POST', '/ping'],
        ['POST', '/replay', { From: 'beginning' }],
        ['POST', '/rotate-secret'],
        ['PATCH', '', { Url: `${receiver.url}/${company.mark}` }],
        ['DELETE', ''],
      ] as const) {
        const path = (key: string) => `webhooks/${key}${below}`
        const answer = await alike(method, keyOf('webhook'), path, body && (() => body))
        expect(answer.status, `${method} ${below}`).to.equal(404)
      }
      for (const [method, below] of [
        ['GET', ''],
        ['POST', '/redeliver'],
      ] as const)
        expect(
          (await alike(method, keyOf('delivery'), (key) => `${ownHook}/deliveries/${key}${below}`)).status,
        ).to.equal(404)
      const feed = await ask(company, 'GET', `contract/changes?since=${other(company).since}`)
      expect([feed.status, feed.error.Details[0]?.Field]).to.deep.equal([400, 'since'])
      // Neither values of unique fields nor Idempotency-Keys are shared.
      const put = await ask(company, 'PUT', 'tenant/by/ExternalId/same', { body: { Phone: '1' } })
      expect([put.status, put.data.Id]).to.deep.equal([200, company.things.get('tenant')])
      const login = {
        Email: `${other(company).mark}@example.com`,
        Password: PASSWORD,
        CompanyKey: company.key,
      }
      expect((await logIn(company.admin, login)).status).to.equal(401)
    }
  })

  it('have their own sent again, from the beginning, and nothing else', async () => {
    for (const company of companies) {
      const hook = `webhooks/${company.things.get('webhook')}`
      const again = await ask(
        company,
        'POST',
        `${hook}/deliveries/${company.things.get('delivery')}/redeliver`,
      )
      expect(again.status, again.text).to.equal(202)
      expect((await ask(company, 'POST', `${hook}/replay`, { body: { From: 'beginning' } })).status).to.equal(
        202,
      )
      await ask(company, 'GET', hook)
      await eventually('all was sent again', async () => {
        const { data } = await company.admin.get(hook)
        const first = receiver.received.filter(
          ({ path, json }) => path === `/${company.mark}` && json.Event === 'tenant.created',
        )
        expect(first).to.have.length.greaterThan(1)
        expect(data['Pending']).to.equal(0)
      })
      for (const state of ['delivered', 'pending', 'failed', 'cancelled'])
        for (const { Id } of (await ask(company, 'GET', `${hook}/deliveries?state=${state}&pageSize=100`))
          .list)
          await ask(company, 'GET', `${hook}/deliveries/${Id}`)
    }
  })

  it('hear by webhooks of their own alone', async () => {
    const of = (mark: Mark) => receiver.received.filter(({ path }) => path === `/${mark}`)
    // Everything that was sent has come: the last change of each is among it.
    for (const { mark, things } of companies)
      while (
        !of(mark).some(
          ({ json }) => json.Event === 'tenant.updated' && json.Data['Id'] === things.get('tenant'),
        )
      )
        await receiver.got(receiver.received.length + 1)
    for (const company of companies)
      for (const { headers, text } of of(company.mark))
        company.heard.push({ asked: 'a webhook', answer: `${JSON.stringify(headers)}\n${text}` })
  })

  it('have heard nothing of each other', () => {
    for (const company of companies) {
      const all = company.heard.map(({ answer }) => answer).join('\n')
      expect(all.split(company.mark).length, 'their own mark').to.be.greaterThan(200)
      const { mark, key, things } = other(company)
      for (const { asked, answer } of company.heard)
        for (const strange of [mark, mark.toLowerCase(), key, ...things.values()])
          expect(answer.includes(strange), `${strange} by ${asked}: ${answer}`).to.equal(false)
    }
  })

  it('are not in the log', async () => {
    const { stdout, stderr } = await main.end('SIGTERM')
    expect(stdout.split('\n').length).to.be.greaterThan(100)
    for (const mark of MARKS) expect(`${stdout}${stderr}`.includes(mark), mark).to.equal(false)
  })
})
