/** Large bodies that are slow to come: they take no more memory than is set apart for them (quality L3). */
import { connect } from 'node:net'
import { expect } from 'chai'
import { bodyBudget } from '../../../../src/api/http/body/body-budget.ts'
import { Refusal } from '../../../../src/api/http/problems.ts'
import { Unavailable } from '../../../../src/domain/errors.ts'
import { testService, type TestService } from '../../../support/service.ts'
import { eventually } from '../../../system/support/eventually.ts'
import { head, rawConnection, type RawConnection } from '../../../system/support/raw-http.ts'
import { expectRefusal } from '../../../system/support/refusal.ts'

describe('the budget of bodies under way', () => {
  it('is one share for each owner, and one for all together', () => {
    const budget = bodyBudget({ owner: 10, all: 15 })
    budget.take('ann', 10)
    expect(() => budget.take('ann', 1)).to.throw(Refusal, 'under way')
    budget.take('bea', 5)
    expect(() => budget.take('cem', 1)).to.throw(Unavailable)
    budget.giveBack('ann', 10)
    budget.take('cem', 10)
  })

  it('takes nothing for what it has refused', () => {
    const budget = bodyBudget({ owner: 10, all: 10 })
    for (let i = 0; i < 3; i++) expect(() => budget.take('ann', 11)).to.throw(Refusal)
    budget.take('ann', 10)
    budget.giveBack('ann', 10)
    budget.take('bea', 10)
  })
})

describe('large bodies that are slow to come', () => {
  let service: TestService
  const slow: RawConnection[] = []

  before(async () => {
    service = await testService()
  })
  after(() => service.discard())
  afterEach(async () => {
    await Promise.all(slow.splice(0).map((connection) => connection.destroy()))
    await eventually('their share is free again', async () => {
      const answer = await service.post('tenant', { Name: 'x'.repeat(100_000) })
      expect(answer.status).to.equal(400)
    })
  })

  const begin = async (...lines: string[]) => {
    const connection = await rawConnection(service.url)
    slow.push(connection)
    connection.write(head('POST /api/v1/tenant/batch HTTP/1.1', 'Content-Type: application/json', ...lines))
    return connection
  }

  it('are refused past the share of whoever sends them: 429; small ones are still taken', async () => {
    const seven = await Promise.all(Array.from({ length: 7 }, () => begin('Content-Length: 10000000')))
    expectRefusal(await Promise.race(seven.map((one) => one.answer())), [429], 'one of seven')
    expect((await service.post('tenant', { Name: 'Small' })).status).to.equal(201)
  })

  // Several times: an answer may be lost when the rest of the body meets a closed connection.
  for (const time of ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'])
    it(`are refused as they grow, where nobody said how large they would be, and learn it; the ${time} time`, async () => {
      const chunk = `100000\r\n${' '.repeat(1_048_576)}\r\n`
      const eight = await Promise.all(Array.from({ length: 8 }, () => begin('Transfer-Encoding: chunked')))
      for (const one of eight) for (let part = 0; part < 9; part++) one.write(chunk)
      expectRefusal(await Promise.race(eight.map((one) => one.answer())), [429], 'one of eight')
    })

  it('are not heard out for ever once they are refused', async () => {
    const { hostname, port } = new URL(service.url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    socket.write(
      head(
        'POST /api/v1/tenant/batch HTTP/1.1',
        'Content-Type: application/json',
        'Content-Length: 100000000',
      ),
    )
    socket.on('error', () => {}).resume()
    const sending = setInterval(() => socket.write(' '), 10)
    await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(sending)
  })

  it('nothing has gone wrong inside', () =>
    expect(service.logged.filter(({ level }) => level === 'error')).to.deep.equal([]))
})
