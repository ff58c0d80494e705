/** A client whose requests and answers get lost: what it creates is created once. */
import { expect } from 'chai'
import { Daybook, ServerError } from '../../clients/typescript/src/index.ts'
import { testService, TOKEN, type TestService } from '../support/service.ts'

const RECORDS = Number(process.env['CLIENT_RECORDS'] ?? 60)
const AT_ONCE = 16

describe('the TypeScript client on a line that fails', function () {
  this.timeout(600_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  it(`creates ${RECORDS} records, none twice`, async () => {
    let count = 0
    const faults = { before: 0, after: 0, refused: 0 }
    /** Every third request or so fails: before it arrives, after it was done, or by a proxy's own answer. */
    const failing: typeof fetch = async (input, init) => {
      const turn = count++ % 10
      if (turn === 1) {
        faults.before++
        throw new TypeError('the connection was refused')
      }
      if (turn === 4 || turn === 8) {
        faults.refused++
        const status = turn === 4 ? 429 : 502
        return new Response('busy', { status, headers: { 'Retry-After': '0' } })
      }
      const response = await fetch(input, init)
      if (turn !== 6) return response
      faults.after++
      await response.arrayBuffer()
      throw new TypeError('the connection was reset')
    }
    const daybook = new Daybook({ url: service.url, token: TOKEN, fetch: failing, retries: 10 })
    const keys: string[] = []
    let next = 0
    const lane = async () => {
      for (let n = next++; n < RECORDS; n = next++)
        keys.push((await daybook['tenant']!.create({ Name: `Tenant ${n}`, ExternalId: `T-${n}` })).record.Id)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    expect(new Set(keys).size).to.equal(RECORDS)
    const stored = new Daybook({ url: service.url, token: TOKEN })
    const all = await stored['tenant']!.list({ fields: ['Name'] }).toArray({ limit: RECORDS * 2 })
    expect(all.map(({ Id }) => Id).sort()).to.deep.equal([...keys].sort())
    for (const kind of Object.values(faults)) expect(kind).to.be.greaterThan(RECORDS / 30)
  })

  it('is told at once where it wants no retries', async () => {
    let count = 0
    const daybook = new Daybook({
      url: service.url,
      token: TOKEN,
      retries: 0,
      fetch: async () => {
        count++
        return new Response('', { status: 500 })
      },
    })
    const outcome = await daybook.session.me().catch((error: unknown) => error)
    expect(outcome).to.be.instanceOf(ServerError)
    expect(count).to.equal(1)
  })

  it('gives up when it is aborted, and after its timeout', async () => {
    const never: typeof fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal!.reason as Error))
      })
    const daybook = new Daybook({ url: service.url, token: TOKEN, retries: 0, timeoutMs: 20, fetch: never })
    const late = (await daybook.session.me().catch((error: unknown) => error)) as Error
    expect(late.message).to.include('no answer')
    const stop = new AbortController()
    const asked = daybook.session.me({ signal: stop.signal, timeoutMs: 60_000 })
    stop.abort(new Error('enough'))
    expect(((await asked.catch((error: unknown) => error)) as Error).message).to.equal('enough')
  })

  it('rotates a token whose end is near, and keeps it', async () => {
    const ExpiresAt = `${new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 19)}Z`
    const made = await service.post('identity/tokens', { Name: 'job', Roles: ['viewer'], ExpiresAt })
    let kept = made.data['Token'] as string
    const first = kept
    const place = { read: () => kept, keep: (token: string) => void (kept = token) }
    const job = new Daybook({ url: service.url, token: place })
    expect((await job.session.me()).Name).to.equal('job')
    expect(kept).not.to.equal(first)
    expect((await job.session.me()).Name).to.equal('job')
    expect((await new Daybook({ url: service.url, token: kept }).session.me()).Name).to.equal('job')
  })
})
