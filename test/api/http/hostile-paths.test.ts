/** Paths and query strings that no decent client sends. */
import { expect } from 'chai'
import { testService, type TestService } from '../../support/service.ts'
import { head, rawRequest } from '../../system/support/raw-http.ts'
import { expectRefusal } from '../../system/support/refusal.ts'

describe('a hostile path', () => {
  let service: TestService
  let key: string

  before(async () => {
    service = await testService()
    key = (await service.create('tenant', { Name: 'Bystander', ExternalId: 'bystander' })).Id
  })
  after(() => service.discard())

  afterEach(async () => {
    const record = await service.get(`tenant/${key}`)
    expect([record.status, record.headers.get('ETag')]).to.deep.equal([200, '"1"'])
    expect((await service.list('tenant')).pagination.TotalRecords).to.equal(1)
  })

  /** The path exactly as it is: fetch would tidy it up. */
  const raw = async (method: string, path: string) => {
    const answer = await rawRequest(
      service.url,
      head(`${method} ${path} HTTP/1.1`, 'Content-Length: 0', 'Connection: close'),
    )
    if (!answer) throw new Error(`no answer to ${method} ${path.slice(0, 200)}`)
    return answer
  }

  const tricks = [
    '/../../etc/passwd',
    '/..',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/..%5c..%5cwindows',
    '/%2f',
    '/%00',
    '/tenant%00',
    '/x%0d%0aSet-Cookie:%20a=b',
    '/%252e%252e',
    '/%u002e',
    '/;x=y',
    '/x;jsessionid=1',
    '/$where',
    '/{"$gt":""}',
    "/'%20or%20'1'='1",
    '/x%27);DROP%20TABLE%20events;--',
    '/*',
    '/%F0%9F%98%80',
    '/%ef%bb%bf',
    '/__proto__',
    '/constructor',
    '/undefined',
    '/NaN',
    '/-1',
    '/0',
    '/1',
    `/${'a'.repeat(10_000)}`,
    `/tenant-${'0'.repeat(10_000)}`,
    `/${'%41'.repeat(4_000)}`,
    '/a'.repeat(4_000),
    `/${'%F0%9F%98%80'.repeat(101)}`,
  ]

  it('finds nothing below the API, whatever the method', async () => {
    for (const trick of tricks)
      for (const [method, start] of [
        ['GET', '/api/v1'],
        ['GET', '/api/v1/tenant'],
        ['DELETE', '/api/v1/tenant'],
        ['POST', '/api/v1/tenant/x/restore'],
        ['GET', '/docs'],
        ['GET', ''],
      ] as const)
        expectRefusal(await raw(method, `${start}${trick}`), [400, 404, 405], `${method} ${start}${trick}`)
  })

  it('is refused when its percent-encoding is broken', async () => {
    for (const broken of ['%', '%zz', '%2', '%ff', '%c0%ae', '%ed%a0%80', '%E0%A4%A'])
      for (const path of [`/api/v1/${broken}`, `/api/v1/tenant/${broken}`, `/api/v1/tenant/${key}/${broken}`])
        expectRefusal(await raw('GET', path), [400, 404], path)
    expect((await service.get(`tenant/${key}%ff`)).error.Message).to.equal(
      'the path is not percent-encoded UTF-8',
    )
  })

  it('may begin with the scheme and the host, as proxies send it (RFC 9112, 3.2.2)', async () => {
    for (const path of [`/api/v1/tenant/${key}`, '/api/v1/health/live', '/api/v1/identity/me', '/docs'])
      expect((await raw('GET', `http://elsewhere.example${path}`)).status, path).to.equal(200)
  })

  it('does not reach a record by detours', async () => {
    for (const path of [
      `/api/v1//tenant/${key}`,
      `/api/v1/tenant//${key}`,
      `/api/v1/./tenant/${key}`,
      `/api/v1/unit/../tenant/${key}`,
      `/api/v1/unit/%2e%2e/tenant/${key}`,
      `/api/v1/tenant%2f${key}`,
      `/api/v1/tenant/${key}%2f`,
      `/api/v1/tenant/${key}%00`,
      `/api/v1/tenant/${key}.json`,
      `/api/v1/tenant/${key};x`,
      `/api/v1/Tenant/${key}`,
    ])
      expectRefusal(await raw('GET', path), [400, 404], path)
  })

  it('of an upsert names a value, whatever it looks like, and creates only what it may', async () => {
    for (const value of ['%00', '%ed%a0%80', `${'x'.repeat(1_001)}`, '%0'])
      expectRefusal(
        await rawRequest(
          service.url,
          `${head(`PUT /api/v1/tenant/by/ExternalId/${value} HTTP/1.1`, 'Content-Type: application/json', 'Content-Length: 12', 'Connection: close')}{"Name":"x"}`,
        ),
        [400],
        value,
      )
  })

  describe('with a hostile filter', () => {
    const filtered = (filter: string) => service.list('tenant', { filter })

    it('selects nothing by injection', async () => {
      for (const filter of [
        "Status eq 'x' or 1 eq 1",
        "Name eq '' or ''='",
        "' or 1 eq 1",
        "Name eq 'x'); drop table events; --",
        "Name eq 'x' union select * from events",
        "Name eq 'x' --",
        "Name eq 'x' /* */",
        'Name eq {"$ne":null}',
        'Name[$ne] eq 1',
        '$where eq 1',
        "Name eq 'x\u0000'",
        'Name eq `x`',
        'lower(Name) eq 1',
        'Name eq char(120)',
        "Name like '%'",
        'Name eq Name',
        'record_tenant.Name eq 1',
        '"Name" eq 1',
        "Name eq 'x';",
        'deleted eq 1',
        'company eq 1',
        '__proto__ eq 1',
        'constructor/prototype eq 1',
        'Id eq 1',
        "Id/Name eq 'x'",
      ])
        expectRefusal(await filtered(filter), [400], filter)
      for (const filter of [
        "Name eq ''' or 1 eq 1 or Name eq '''",
        "Name eq 'x''); drop table events; --'",
        "contains(Name, '''; --')",
        'Name eq \'{"$ne":null}\'',
        "contains(Name, '%')",
        "contains(Name, '_ystander')",
        "startswith(Name, 'B%')",
        "endswith(Name, '.*')",
        "Name in ('*', '%', '(select 1)')",
      ]) {
        const answer = await filtered(filter)
        expect([answer.status, answer.list], filter).to.deep.equal([200, []])
      }
    })

    it('is taken up to 4 KiB, 50 conditions and 16 levels, and refused past them', async () => {
      const ofBytes = (bytes: number) => `Name eq '${'x'.repeat(bytes - 10)}'`
      expect((await filtered(ofBytes(4_096))).status).to.equal(200)
      expectRefusal(await filtered(ofBytes(4_097)), [400], '4 KiB + 1')
      expectRefusal(await filtered(`Name eq '${'é'.repeat(2_048)}'`), [400], '4 KiB + 1 in bytes')
      const conditions = (count: number) => Array<string>(count).fill("Name eq 'x'").join(' or ')
      expect((await filtered(conditions(50))).status).to.equal(200)
      expectRefusal(await filtered(conditions(51)), [400], '51 conditions')
      const levels = (count: number) => `${'('.repeat(count)}Name eq 'x'${')'.repeat(count)}`
      expect((await filtered(levels(16))).status).to.equal(200)
      expectRefusal(await filtered(levels(17)), [400], '17 levels')
      expectRefusal(await filtered('('.repeat(4_000)), [400], '4,000 levels')
      expectRefusal(await filtered(`${'not '.repeat(1_000)}true`), [400], '1,000 times not')
      const hops = (count: number) => `${'Contract/'.repeat(count)}Id eq 'x'`
      expectRefusal(await service.list('document', { filter: hops(400) }), [400], '400 lookups')
    })

    it('that is hard to match is answered like any other', async () => {
      const { Id } = await service.create('building', { Name: 'a'.repeat(200), Notes: 'a'.repeat(100_000) })
      for (const filter of [
        `contains(Notes, '${'a'.repeat(3_000)}b')`,
        `${Array.from({ length: 30 }, (_, i) => `contains(Notes, '${'a'.repeat(100)}${i}')`).join(' or ')}`,
        `not (${Array.from({ length: 30 }, (_, i) => `endswith(Name, '${'a'.repeat(90)}${i}')`).join(' and ')})`,
      ])
        expect((await service.list('building', { filter })).status, filter.slice(0, 50)).to.equal(200)
      await service.delete(`building/${Id}`)
    })
  })

  describe('with other hostile parameters', () => {
    it('sorts, shows and expands nothing by injection', async () => {
      const injections = [
        'Name;DROP TABLE events',
        'Name"--',
        "Name'",
        '(SELECT 1)',
        'Name COLLATE NOCASE',
        '1',
        '*',
        'n',
        'document',
        '$natural',
        '__proto__',
        `${'Name,'.repeat(1_000)}Name`,
      ]
      for (const injection of injections)
        for (const parameter of ['sort', 'fields', 'expand']) {
          const answer = await service.list('tenant', { [parameter]: injection })
          if (parameter === 'fields' && injection.startsWith('Name,')) expect(answer.status).to.equal(200)
          else expectRefusal(answer, [400], `${parameter}=${injection}`)
        }
    })

    it('searches for words only', async () => {
      for (const search of [
        '"',
        '" OR 1',
        'a" OR "b',
        '*',
        'k1k',
        'NEAR(',
        '^a',
        'words : a',
        '-bystander',
        '{a}',
        'x\u0000y',
        'a'.repeat(500),
        `${'a '.repeat(249)}a`,
        '𝔅ystander'.repeat(20),
      ]) {
        const answer = await service.list('tenant', { search })
        if (answer.status === 200)
          expect(answer.pagination.TotalRecords, search).to.equal(search === '-bystander' ? 1 : 0)
        else expectRefusal(answer, [400], search)
      }
      expectRefusal(await service.list('tenant', { search: 'a'.repeat(501) }), [400], '501 characters')
    })

    it('are refused with names of any length, which are not repeated in full', async () => {
      const answer = await service.get(`tenant?${'n'.repeat(10_000)}=1`)
      expectRefusal(answer, [400], 'a long name')
      expect(answer.text.length).to.be.below(1_000)
      expectRefusal(
        await service.get(`tenant?${Array.from({ length: 400 }, (_, i) => `p${i}=1`).join('&')}`),
        [400],
        '400 parameters',
      )
    })
  })

  describe('afterwards', () => {
    it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
  })
})
