/** Rate limits over HTTP (docs/interface.md#error-codes, docs/open-facts.md 32, 33). */
import { expect } from 'chai'
import { testService, type TestService } from '../../../support/service.ts'
import { makeToken, withToken } from '../../identity/identity-support.ts'

describe('too many requests', () => {
  let service: TestService
  const stranger = { Authorization: 'Bearer nobody-knows-this-one' }

  /** Slow enough that nothing is regained while a test runs. */
  const limited = async (burst: number, more: Readonly<Record<string, string>> = {}) => {
    const settings = { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: String(burst), ...more }
    service = await testService({ settings })
  }
  afterEach(() => service.discard())

  it('are refused, saying when to come again', async () => {
    await limited(100)
    const first = await service.list('tenant')
    expect([
      first.status,
      first.headers.get('RateLimit-Policy'),
      first.headers.get('RateLimit'),
    ]).to.deep.equal([200, '"burst";q=1;w=60, "minute";q=1;w=60', '"burst";r=0;t=60'])
    for (const refused of [
      await service.list('tenant'),
      await service.post('tenant', { Name: 'Ada' }),
      await service.get('nope'),
    ]) {
      expect([refused.status, refused.error.Code]).to.deep.equal([429, 'RATE_LIMITED'])
      expect(refused.headers.get('Retry-After')).to.match(/^(59|60)$/)
      expect(refused.headers.get('RateLimit')).to.match(/^"burst";r=0;t=(59|60)$/)
      expect(refused.headers.get('RateLimit-Policy')).to.equal('"burst";q=1;w=60, "minute";q=1;w=60')
    }
  })

  it('of those whom nobody knows count by address, and do not touch those who are known', async () => {
    await limited(1)
    expect((await service.list('tenant', {}, stranger)).status).to.equal(401)
    const refused = await service.list('tenant', {}, stranger)
    expect([refused.status, refused.error.Code]).to.deep.equal([429, 'RATE_LIMITED'])
    expect((await service.get('/docs', { Authorization: '' })).status).to.equal(429)
    expect((await service.list('tenant')).status).to.equal(200)
  })

  it('are counted on open routes too', async () => {
    await limited(1)
    expect((await service.get('openapi.json')).status).to.equal(200)
    expect((await service.get('openapi.json')).status).to.equal(429)
  })

  it('are not made fewer by addresses that a client invents', async () => {
    await limited(1)
    const invented = (i: number) => ({
      ...stranger,
      'X-Forwarded-For': `203.0.113.${i}`,
      'X-Real-IP': `203.0.113.${i}`,
    })
    expect((await service.list('tenant', {}, invented(1))).status).to.equal(401)
    for (let i = 2; i < 5; i++)
      expect(
        (await service.list('tenant', {}, { ...invented(i), Forwarded: `for=203.0.113.${i}` })).status,
      ).to.equal(429)
  })

  it('are counted by the address that a known proxy has seen, whatever the client put before it', async () => {
    await limited(1, { TRUST_PROXY: 'loopback' })
    const from = (...addresses: string[]) => ({
      ...stranger,
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-For': addresses.join(', '),
    })
    expect((await service.list('tenant', {}, from('203.0.113.1'))).status).to.equal(401)
    expect((await service.list('tenant', {}, from('198.51.100.7', '203.0.113.1'))).status).to.equal(429)
    expect((await service.list('tenant', {}, from('nonsense', '203.0.113.1'))).status).to.equal(429)
    expect((await service.list('tenant', {}, from('203.0.113.2'))).status).to.equal(401)
  })

  it('do not keep probes and the machine itself from asking', async () => {
    await limited(1)
    for (let i = 0; i < 5; i++) {
      expect((await service.get('health/live', { Authorization: '' })).status).to.equal(200)
      expect((await service.get('/metrics', { Authorization: '' })).status).to.equal(200)
    }
  })

  it('are those that came, not the records in them', async () => {
    await limited(1)
    const Records = Array.from({ length: 50 }, (_, i) => ({ Name: `Tenant ${i}` }))
    const answer = await service.post('tenant/batch', { Records })
    expect(answer.list.map(({ Status }) => Status)).to.deep.equal(Records.map(() => 201))
  })

  it('are as many as they like where there is no limit', async () => {
    service = await testService({ settings: { RATE_LIMIT_PER_MINUTE: '0' } })
    const answer = await service.list('tenant')
    expect([answer.headers.get('RateLimit'), answer.headers.get('RateLimit-Policy')]).to.deep.equal([
      null,
      null,
    ])
  })
})

describe('too much for a company', () => {
  let service: TestService
  afterEach(() => service.discard())

  it('of requests is refused, whichever of its principals asks', async () => {
    service = await testService({ settings: { COMPANY_RATE_LIMIT_PER_MINUTE: '4' } })
    const { value } = await makeToken(service) // the first request
    const statuses: number[] = []
    for (const headers of [{}, withToken(value), {}, withToken(value), {}])
      statuses.push((await service.list('tenant', {}, headers)).status)
    expect(statuses).to.deep.equal([200, 200, 200, 429, 429])
    const refused = await service.list('tenant')
    expect(refused.error.Code).to.equal('RATE_LIMITED')
    expect(refused.headers.get('Retry-After')).to.match(/^1[0-5]$/)
    expect(refused.headers.get('RateLimit-Policy')).to.equal('"company";q=4;w=60')
    expect(refused.headers.get('RateLimit')).to.match(/^"company";r=0;t=(59|60)$/)
  })

  it('of rows is refused before any is created', async () => {
    service = await testService({ settings: { COMPANY_ROWS_PER_MINUTE: '500' } })
    const batch = (rows: number) =>
      service.post('tenant/batch', { Records: Array.from({ length: rows }, (_, i) => ({ Name: `${i}` })) })
    const first = await batch(400)
    expect([first.status, first.headers.get('RateLimit')]).to.deep.equal([200, '"company-rows";r=100;t=48'])
    const refused = await batch(200)
    expect([refused.status, refused.error.Code]).to.deep.equal([429, 'RATE_LIMITED'])
    expect((await service.list('tenant')).pagination.TotalRecords).to.equal(400)
    expect((await batch(100)).status).to.equal(200)
  })
})
