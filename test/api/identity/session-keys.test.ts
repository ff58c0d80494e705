/** Master keys change without logging anyone out, and end every session when they are taken away. */
import { expect } from 'chai'
import { testService, type TestService } from '../../support/service.ts'
import { APP_ORIGIN, logIn, withCookie } from './identity-support.ts'

const [OLD, NEW] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'))

describe('keys of sessions', () => {
  let service: TestService
  before(async () => {
    service = await testService({ settings: { APP_ORIGIN, SECRETS_KEYS: OLD! } })
  })
  after(() => service.discard())

  it('may be followed by new ones: who is logged in stays so; without the old one nobody does', async () => {
    const restart = (keys: string) => service.restart({ APP_ORIGIN, SECRETS_KEYS: keys })
    const before = withCookie(await logIn(service))
    const statusOf = async (session: typeof before) => (await service.get('identity/me', session)).status
    expect(await statusOf(before)).to.equal(200)
    await restart(`${NEW},${OLD}`)
    const since = withCookie(await logIn(service))
    expect([await statusOf(before), await statusOf(since)]).to.deep.equal([200, 200])
    await restart(NEW!)
    expect([await statusOf(before), await statusOf(since)]).to.deep.equal([401, 200])
    const refused = await restart(Buffer.alloc(32, 3).toString('base64')).catch((error: unknown) => error)
    expect(String(refused)).to.include('not in SECRETS_KEYS')
  })
})
