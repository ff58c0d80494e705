/** Large bodies wait for their turn, so that many at once take little more memory than two. */
import { expect } from 'chai'
import { bodyTurns } from '../../../../src/api/http/body/body-turns.ts'
import { testService, type TestService } from '../../../support/service.ts'

describe('the turns of large bodies', () => {
  it('are so many at once, the others in the order in which they came', async () => {
    const turns = bodyTurns(2)
    const begun: string[] = []
    const take = (owner: string) =>
      turns.take(owner).then((end) => {
        begun.push(owner)
        return end
      })
    const [ann, bea, cem, dan] = ['ann', 'bea', 'cem', 'dan'].map(take)
    ;(await ann!)()
    await cem!
    expect(begun).to.deep.equal(['ann', 'bea', 'cem'])
    ;(await bea!)()
    await dan!
    expect(begun).to.deep.equal(['ann', 'bea', 'cem', 'dan'])
  })

  it('go to the owner who has the fewest', async () => {
    const turns = bodyTurns(2)
    const [first, second, third, other] = ['ann', 'ann', 'ann', 'bea'].map((owner) => turns.take(owner))
    const order: string[] = []
    void third!.then(() => order.push('the third of ann'))
    void other!.then(() => order.push('the first of bea'))
    ;(await first!)()
    const end = await other!
    expect(order).to.deep.equal(['the first of bea'])
    ;(await second!)()
    await third!
    end()
  })
})

describe('large batches', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  const rows = (row: unknown) => ({ Records: Array(20).fill(row) })
  const large = { Name: 'large', Notes: 'x'.repeat(90_000) }

  it('all have their turn, also after those that are refused', async () => {
    const bodies = [
      ...[rows(large), { ...rows(large), Nope: 1 }, rows({ Notes: 'x'.repeat(90_000) })],
      ...[rows(large), `${JSON.stringify(rows(large)).slice(0, -1)}`, rows(large)],
    ]
    const answers = await Promise.all(bodies.map((body) => service.post('tenant/batch', body)))
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 400, 200, 200, 400, 200])
    const created = answers.map((answer) =>
      answer.status === 200 ? answer.list.filter(({ Status }) => Status === 201).length : 0,
    )
    expect(created).to.deep.equal([20, 0, 0, 20, 0, 20])
  })
})
