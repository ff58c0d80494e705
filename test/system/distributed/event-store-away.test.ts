/** Who is let in while the event store is away: those that were seen before, to read, for a limited time. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { startPeer, type Peer } from '../../peers/eventstoredb/start-peer.ts'
import {
  APP_ORIGIN,
  logIn,
  makeToken,
  makeUser,
  withCookie,
  withToken,
} from '../../api/identity/identity-support.ts'
import { ownCompany } from '../../support/own-company.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import { testService, type Answer, type HeaderValues, type TestService } from '../../support/service.ts'
import { tcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { eventually } from '../support/eventually.ts'

describe('a service whose event store is away', function () {
  this.timeout(60_000)
  let peer: Peer
  let proxy: TcpProxy
  let service: TestService

  before(async () => {
    peer = await startPeer()
    proxy = await tcpProxy({ port: peer.port })
    const token = await ownCompany(peer.url)
    const settings = {
      EVENTSTORE_URL: `esdb://127.0.0.1:${proxy.port}?tls=false`,
      APP_ORIGIN,
      AUTH_GRACE_SECONDS: '20',
      SECRETS_KEYS,
    }
    service = await testService({ settings, token })
  })
  after(async () => {
    await service?.discard()
    await proxy?.stop()
    await peer?.stop()
  })
  afterEach(async () => {
    proxy.heal()
    await eventually('the service is itself again', async () => {
      expect((await service.post('tenant', { Name: 'Well again' })).status).to.equal(201)
    })
  })

  const timed = async (request: Promise<Answer>) => {
    const begin = performance.now()
    const { status } = await request
    return { status, ms: performance.now() - begin }
  }

  for (const [how, lose] of [
    ['refuses connections', () => proxy.cut()],
    ['is silent', () => proxy.swallowAll()],
  ] as const)
    it(`lets those read that it has seen, and refuses all else at once, when it ${how}`, async () => {
      const { Id } = await service.create('tenant', { Name: 'Seen before' })
      const user = await makeUser(service)
      const session = withCookie(await logIn(service, user))
      const [unseen, gone] = [await makeToken(service), await makeToken(service)]
      for (const headers of [session, withToken(gone.value)])
        expect((await service.get(`tenant/${Id}`, headers)).status).to.equal(200)
      expect((await service.delete(`identity/tokens/${gone.Id}`)).status).to.equal(200)

      lose()
      const get = (headers?: HeaderValues) => service.get(`tenant/${Id}`, headers)
      expect((await get()).status, 'the first read').to.equal(200)
      const write = () => timed(service.post('tenant', { Name: 'Into the gap' }))
      expect((await write()).status, 'the first write').to.equal(503)
      for (const answer of [timed(get()), timed(get(session)), timed(service.list('tenant', {}, session))]) {
        const { status, ms } = await answer
        expect(status).to.equal(200)
        expect(ms).to.be.below(1_900)
      }
      const others = [
        write(),
        timed(get(withToken(unseen.value))),
        timed(get(withToken('daybook_no-token-at-all'))),
        timed(logIn(service, { ...user, CompanyKey: 'company-01k0000000000000000000000a' })),
      ]
      for (const { status, ms } of await Promise.all(others)) {
        expect(status).to.equal(503)
        expect(ms).to.be.below(1_900)
      }
      expect((await get(withToken(gone.value))).status, 'revoked here').to.equal(401)
    })

  it('refuses no write when the store stalls for a moment', async () => {
    proxy.delay(2_600)
    const writes = Array.from({ length: 8 }, (_, n) => service.post('tenant', { Name: `Slow ${n}` }))
    await delay(200)
    proxy.delay(0) // what was sent until now still takes its time, and what follows comes after it
    const statuses = (await Promise.all(writes)).map(({ status }) => status)
    expect(new Set(statuses)).to.deep.equal(new Set([201]))
  })
})
