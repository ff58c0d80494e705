/**
 * Requests with an Idempotency-Key that were done, and cut off before their answer was recorded: sent again they are answered as
 * they would have been, also where what they check has changed by what they did.
 */
import { expect } from 'chai'
import { testService, type Answer, type TestService } from '../../support/service.ts'
import { makeToken, makeUser } from './identity-support.ts'

describe('a request that was done, and cut off before its answer was recorded', function () {
  this.timeout(30_000)
  let service: TestService
  const sent: { readonly what: string; readonly again: () => Promise<Answer>; readonly first: Answer }[] = []

  /** Sends it with a key of its own. */
  const send = async (method: string, path: string, body?: unknown, more = {}) => {
    const what = `${method} ${path}`
    const headers = { 'Idempotency-Key': `key-${sent.length}`, ...more }
    const again = () => service.send(method, path, { body, headers })
    sent.push({ what, again, first: await again() })
  }

  before(async () => {
    service = await testService()
    const [removed, changed] = [await makeUser(service), await makeUser(service)]
    await send('DELETE', `identity/users/${removed.Id}`)
    await send('PATCH', `identity/users/${changed.Id}`, { Name: 'Changed' })
    await service.delete(`identity/users/${changed.Id}`)
    await send('DELETE', `identity/tokens/${(await makeToken(service)).Id}`)
    const role = { Name: 'reader', Grants: [{ Object: 'tenant', Actions: ['read'] }] }
    const made = await service.post('identity/roles', role)
    expect(made.status, made.text).to.equal(201)
    await send('PATCH', `identity/roles/${made.data.Id}`, { Description: 'reads' })
    await send('DELETE', `identity/roles/${made.data.Id}`)
    await send('PUT', 'tenant/by/ExternalId/E-1', { Name: 'Ann' }, { 'If-None-Match': '*' })
    await send('PUT', 'tenant/by/ExternalId/E-1', { Name: 'Bea' }, { 'If-Match': '"1"' })
    await service.create('tenant', { Name: 'the last event' })
    await service.stop()
    service.inEventFile(
      `UPDATE events SET stream = 'b0-lost' || position, version = 1 WHERE type = 'request.answered'`,
    )
    await service.restart()
  })
  after(() => service.discard())

  it('is answered as the first time, and does nothing more', async () => {
    expect(sent.map(({ first }) => first.status)).to.deep.equal([200, 200, 200, 200, 200, 201, 200])
    for (const { what, again, first } of sent) {
      const { status, text, headers } = await again()
      expect([what, status, text]).to.deep.equal([what, first.status, first.text])
      expect(headers.get('Idempotency-Replayed'), what).to.equal(null)
    }
  })
})
