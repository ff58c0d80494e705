/**
 * What a client may count on that is sent to either of two api processes: one session, one rate, one answer for an
 * Idempotency-Key, and what it wrote. (Numbers and versions: `distributed.test.ts`; what is taken away: `revocation.test.ts`.)
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { APP_ORIGIN, logIn, makeToken, withCookie, withToken } from '../../api/identity/identity-support.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { startPeer, type Peer } from '../../peers/eventstoredb/start-peer.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import { client, newFolder, PASSWORD, TOKEN, type Client } from '../../support/service.ts'
import { eventually } from '../support/eventually.ts'
import { startMain, type MainProcess } from '../support/main-process.ts'

const mongo = mongoUnderTest()
const BURST = 60

describe('a client of two api processes', function () {
  this.timeout(60_000)
  if (!mongo) {
    console.log(`NOT TESTED: one client of two api processes (${NOT_TESTED})`)
    it(`is known to both: ${NOT_TESTED}`)
    return
  }
  const folder = newFolder()
  let peer: Peer
  let processes: MainProcess[] = []
  let [one, other] = [] as unknown as [Client, Client]

  before(async () => {
    ;[peer] = await Promise.all([startPeer(), mongo.start()])
    const settings = {
      EVENTSTORE_URL: peer.url,
      MONGODB_URL: mongo.newDatabase(),
      BOOTSTRAP_TOKEN: TOKEN,
      BOOTSTRAP_PASSWORD: PASSWORD,
      SECRETS_KEYS,
      // So little comes back while the test runs that it is the burst which counts.
      RATE_LIMIT_PER_MINUTE: String(BURST),
      RATE_LIMIT_BURST: String(BURST),
      APP_ORIGIN,
    }
    processes = await Promise.all(
      ['projections', 'api', 'api'].map((ROLES, index) =>
        startMain({ ...settings, ROLES, DATA_DIR: join(folder, `process-${index}`) }),
      ),
    )
    ;[one, other] = processes.slice(1).map(({ url }) => client(() => url)) as [Client, Client]
  })
  after(async () => {
    await Promise.all(processes.map((process) => process.end('SIGTERM')))
    await peer?.stop()
    await mongo.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('logs in at one, writes at the other, is answered again by the first, and reads what it wrote', async () => {
    const session = withCookie(await logIn(one))
    const headers = { ...session, 'Idempotency-Key': 'once' }
    const written = await other.post('tenant', { Name: 'Ann' }, headers)
    expect(written.status, written.text).to.equal(201)
    const again = await one.post('tenant', { Name: 'Ann' }, headers)
    expect([again.status, again.text]).to.deep.equal([201, written.text])
    expect(again.headers.get('Idempotency-Replayed')).to.equal('true')
    const position = { ...session, 'Daybook-At-Least': written.headers.get('Daybook-Position') ?? '' }
    expect((await one.get(`tenant/${written.data.Id}`, position)).data).to.deep.equal(written.data)
    const { list } = await other.get(`tenant?filter=Name eq 'Ann'`, position)
    expect(list.map(({ Id }) => Id)).to.deep.equal([written.data.Id])
  })

  it('has one rate: what it has spent at one is spent at the other', async () => {
    const { value } = await makeToken(one)
    const headers = withToken(value)
    const statuses = await Promise.all(
      Array.from({ length: BURST }, async () => (await one.get('identity/me', headers)).status),
    )
    expect(new Set(statuses)).to.deep.equal(new Set([200]))
    // They tell each other within 0.2 s; each try before that is paid for, too.
    await eventually('the other refuses', async () => {
      const refused = await other.get('identity/me', headers)
      expect(refused.status).to.equal(429)
      expect(Number(refused.headers.get('Retry-After'))).to.be.greaterThan(0)
    })
  })
})
