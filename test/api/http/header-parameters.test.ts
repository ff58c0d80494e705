/** What a header says, said by a query parameter: for pages of another origin (docs/interface.md#cross-origin-headers). */
import { expect } from 'chai'
import { positionsOf } from '../../support/opened-positions.ts'
import { withoutHeaderParameters } from '../../../src/api/http/header-parameters.ts'
import { contractBody } from '../../system/support/leasing.ts'
import { testService, type TestService } from '../../support/service.ts'

describe('a query parameter in place of a header', () => {
  let service: TestService
  let path: string
  before(async () => {
    service = await testService({ settings: { READ_YOUR_WRITES_MS: '300' } })
  })
  beforeEach(async () => {
    path = `contract/${(await service.create('contract', contractBody())).Id}`
  })
  after(() => service.discard())

  const query = (parameters: Record<string, string>) => `?${new URLSearchParams(parameters).toString()}`

  it('makes a write safe to repeat, together with the header', async () => {
    const key = `create-${path}`
    const first = await service.post(`tenant${query({ idempotencyKey: key })}`, { Name: 'Ann' })
    const again = await service.post(`tenant${query({ idempotencyKey: key })}`, { Name: 'Ann' })
    const byHeader = await service.post('tenant', { Name: 'Ann' }, { 'Idempotency-Key': key })
    expect(first.status).to.equal(201)
    for (const answer of [again, byHeader]) {
      expect(answer.data).to.deep.equal(first.data)
      expect(answer.headers.get('Idempotency-Replayed')).to.equal('true')
    }
    const other = await service.post(`tenant${query({ idempotencyKey: key })}`, { Name: 'Bo' })
    expect(other.status).to.equal(409)
  })

  it('stops a write that is meant for another version', async () => {
    const [late, right] = [query({ ifMatch: '"7"' }), query({ ifMatch: '"1"' })]
    for (const [method, suffix, body] of [
      ['PATCH', '', { Notes: 'x' }],
      ['PUT', '', { Notes: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/restore', undefined],
      ['POST', '/workflow/submit', undefined],
    ] as const)
      expect((await service.send(method, `${path}${suffix}${late}`, { body })).status, method).to.equal(412)
    expect((await service.patch(`${path}${right}`, { Notes: 'x' })).status).to.equal(200)
    const malformed = await service.patch(`${path}${query({ ifMatch: '1' })}`, { Notes: 'x' })
    expect(malformed.faults).to.deep.equal(['ifMatch: must be a list of entity tags such as "3", or *'])
  })

  it('keeps the reason of a change, decoded once', async () => {
    for (const reason of ['100%25 sure', 'påslag & 2 % ✓'])
      await service.patch(`${path}${query({ reason })}`, { Notes: reason })
    const { list } = await service.get(`${path}/history`)
    expect(list.slice(1).map(({ Reason }) => Reason)).to.deep.equal(['100%25 sure', 'påslag & 2 % ✓'])
    const same = await service.patch(
      `${path}${query({ reason: 'æ' })}`,
      { Notes: 'æ' },
      { 'Daybook-Reason': '%C3%A6' },
    )
    expect(same.status).to.equal(200)
  })

  it('waits for a position', async () => {
    const position = (await service.patch(path, { Notes: 'x' })).headers.get('Daybook-Position') ?? ''
    const later = positionsOf(service.dataDir).write(99_999_999)
    for (const read of [path, 'contract', 'warehouse', 'warehouse/wh_Leasing_Contract']) {
      expect((await service.get(`${read}${query({ atLeast: position })}`)).status, read).to.equal(200)
      expect((await service.get(`${read}${query({ atLeast: later })}`)).status, read).to.equal(503)
    }
    const encoded = await service.get(`${path}?at%4ceast=${later}`)
    expect(encoded.status).to.equal(503)
    expect((await service.get(`${path}?atLeast=soon`)).faults).to.deep.equal([
      'atLeast: must be the Daybook-Position of an answer to your company',
    ])
  })

  it('must say the same as the header, once', async () => {
    const both = await service.patch(
      `${path}${query({ ifMatch: '"1"' })}`,
      { Notes: 'x' },
      { 'If-Match': '"2"' },
    )
    expect([both.status, both.faults]).to.deep.equal([
      400,
      ['ifMatch: is not what the header If-Match says; send one of them'],
    ])
    for (const [name, value, header] of [
      ['idempotencyKey', 'a', 'Idempotency-Key'],
      ['reason', 'a', 'Daybook-Reason'],
    ] as const) {
      const answer = await service.patch(
        `${path}${query({ [name]: value })}`,
        { Notes: 'x' },
        { [header]: 'b' },
      )
      expect(answer.status, name).to.equal(400)
    }
    const twice = await service.patch(`${path}?reason=a&reason=b`, { Notes: 'x' })
    expect(twice.faults).to.deep.equal(['reason: was given more than once'])
  })

  it('is unknown where its header means nothing', async () => {
    for (const [method, to, name] of [
      ['POST', 'tenant', 'ifMatch'],
      ['GET', 'contract', 'reason'],
      ['GET', `${path}/history`, 'atLeast'],
      ['PATCH', path, 'atLeast'],
    ] as const) {
      const answer = await service.send(method, `${to}?${name}=1`, {
        ...(method !== 'GET' && { body: { Name: 'Ann' } }),
      })
      expect(answer.status, `${method} ${to} ${name}`).to.equal(400)
      expect(answer.faults[0]).to.include(`${name}: is not a query parameter of this route`)
    }
  })

  it('is described where it is taken', async () => {
    const { text } = await service.get('openapi.json')
    const { paths } = JSON.parse(text) as {
      paths: Record<string, Record<string, { parameters?: { $ref?: string }[] }>>
    }
    const refs = (route: string, method: string) =>
      (paths[`/api/v1/${route}`]?.[method]?.parameters ?? []).flatMap(({ $ref }) =>
        $ref?.endsWith('InQuery') ? [$ref.split('/').at(-1)] : [],
      )
    expect(refs('contract', 'post')).to.have.members(['IdempotencyKeyInQuery', 'ReasonInQuery'])
    expect(refs('contract/{key}', 'patch')).to.have.members([
      'IdempotencyKeyInQuery',
      'ReasonInQuery',
      'IfMatchInQuery',
    ])
    expect(refs('contract', 'get')).to.deep.equal(['AtLeastInQuery'])
  })
})

describe('the URL without the parameters of headers', () => {
  it('is the same however the request sends them', () => {
    for (const [given, expected] of [
      ['/a', '/a'],
      ['/a?', '/a?'],
      ['/a?ifMatch=1', '/a'],
      ['/a?x=1&reason=b&y=?2', '/a?x=1&y=?2'],
      ['/a?reas%6fn=b', '/a'],
    ])
      expect(withoutHeaderParameters(given!)).to.equal(expected)
  })
})
