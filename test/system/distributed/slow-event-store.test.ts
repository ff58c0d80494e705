/** A batch on a store of events that is slower than a request may last: each row is done or says that it is not, once. */
import { expect } from 'chai'
import { startPeer, type Peer } from '../../peers/eventstoredb/start-peer.ts'
import { ownCompany } from '../../support/own-company.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import { testService, type TestService } from '../../support/service.ts'

const ROWS = 40

describe('a batch on a slow store of events', function () {
  this.timeout(90_000)
  let peer: Peer
  let service: TestService

  before(async () => {
    peer = await startPeer()
    const token = await ownCompany(peer.url)
    service = await testService({ settings: { EVENTSTORE_URL: peer.url, SECRETS_KEYS }, token })
  })
  after(async () => {
    await service?.discard()
    await peer?.stop()
  })

  const send = (key: string) =>
    service.post(
      'tenant/batch',
      { Records: Array.from({ length: ROWS }, (_, i) => ({ Name: `Slow ${i}` })) },
      { 'Idempotency-Key': key },
    )
  const statuses = (rows: readonly Record<string, unknown>[]) => rows.map(({ Status }) => Status)

  it('is done in part, says which part, and is finished, nothing twice, when it is sent again', async () => {
    peer.faults.slowAppends(400) // 16 s for all rows, where the store is given 10
    const first = await send('slow')
    expect(first.status, first.text).to.equal(200)
    expect(new Set(statuses(first.list))).to.deep.equal(new Set([201, 503]))
    for (const { Status, Error: error } of first.list)
      if (Status === 503) expect(error).to.deep.include({ Code: 'SERVER_ERROR' })

    // Appends that were sent and given up are still waiting for their turn, and come to it later.
    peer.faults.slowAppends(0)
    const second = await send('slow')
    expect(second.headers.get('Idempotency-Replayed')).to.equal(null)
    expect(statuses(second.list)).to.deep.equal(Array.from({ length: ROWS }, () => 201))
    first.list.forEach(({ Status, Id }, i) => {
      if (Status === 201) expect(second.list[i]!.Id).to.equal(Id)
    })

    const third = await send('slow')
    expect(third.headers.get('Idempotency-Replayed')).to.equal('true')
    expect(third.text).to.equal(second.text)
    const { pagination } = await service.list('tenant', { filter: `contains(Name, 'Slow')` })
    expect(pagination.TotalRecords).to.equal(ROWS)
  })
})
