/** Copies of warehouses that take their time: who waits for them, for how long, and what is told then. */
import { expect } from 'chai'
import { copiesInTime } from '../../../src/compose/mongodb/copies-in-time.ts'
import { NotYet, Unavailable } from '../../../src/domain/errors.ts'

describe('copies of warehouses', () => {
  const setUp = (waitMs: number) => {
    const made: { company: string; done: () => void; fail: (error: Error) => void }[] = []
    const copies = copiesInTime({
      copy: (company) =>
        new Promise<void>((done, fail) => {
          made.push({ company, done, fail })
        }),
      waitMs,
    })
    const failure = (work: Promise<void>) =>
      work.then(
        () => undefined,
        (error: unknown) => error,
      )
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    return { made, copies, failure, turn }
  }

  it('are waited for', async () => {
    const { made, copies, failure, turn } = setUp(60_000)
    const asked = failure(copies.ensure('one'))
    await turn()
    made[0]!.done()
    expect(await asked).to.equal(undefined)
  })

  it('are told of as not yet made when that takes long, and are gone on with', async () => {
    const { made, copies, failure } = setUp(0)
    expect(await failure(copies.ensure('one'))).to.be.instanceOf(NotYet)
    // Whoever asks meanwhile waits no longer than the first.
    expect(await failure(copies.ensure('one'))).to.be.instanceOf(NotYet)
    expect(made).to.have.length(1)
    made[0]!.done()
  })

  it('are begun once more for who asked while one was being made, which may have looked too early', async () => {
    const { made, copies, failure, turn } = setUp(60_000)
    const first = failure(copies.ensure('one'))
    await turn()
    const second = [failure(copies.ensure('one')), failure(copies.ensure('one'))]
    const other = failure(copies.ensure('two'))
    await turn()
    expect(made.map(({ company }) => company)).to.deep.equal(['one', 'two'])
    made[1]!.done()
    made[0]!.fail(new Unavailable('the server is away'))
    expect(await first).to.be.instanceOf(Unavailable)
    expect(await other).to.equal(undefined)
    await turn()
    expect(made.map(({ company }) => company)).to.deep.equal(['one', 'two', 'one'])
    made[2]!.done()
    expect(await Promise.all(second)).to.deep.equal([undefined, undefined])
    await copies.settled()
  })
})
