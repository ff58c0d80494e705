/** Whose password is hashed next; the work is let go by hand. */
import { expect } from 'chai'
import { Busy } from '../../../src/domain/errors.ts'
import { HashTurns, type HashPurpose } from '../../../src/identity/secrets/hash-turns.ts'

const settled = () => new Promise((go) => setImmediate(go))

function turnsByHand() {
  const turns = new HashTurns()
  const begun: string[] = []
  const refused: string[] = []
  let finish: (() => void) | undefined
  const ask = (purpose: HashPurpose, company: string, name = company) =>
    void turns
      .run({ purpose, company }, () => {
        begun.push(name)
        return new Promise<void>((done) => (finish = done))
      })
      .catch((error: unknown) => {
        if (error instanceof Busy) refused.push(name)
        else throw error
      })
  /** Lets go what runs, until nothing does. */
  const finishAll = async () => {
    await settled()
    while (finish) {
      const done = finish
      finish = undefined
      done()
      await settled()
    }
  }
  return { begun, refused, ask, finishAll }
}

describe('the turns of passwords that are hashed', () => {
  it('go around among companies, and in order within one', async () => {
    const { begun, ask, finishAll } = turnsByHand()
    for (const name of ['b1', 'b2', 'b3']) ask('login', 'b', name)
    for (const name of ['a1', 'a2']) ask('login', 'a', name)
    ask('login', 'c', 'c1')
    await finishAll()
    expect(begun).to.deep.equal(['b1', 'b2', 'a1', 'c1', 'b3', 'a2'])
  })

  it('are for logins before administration', async () => {
    const { begun, ask, finishAll } = turnsByHand()
    for (const name of ['first', 'second', 'third']) ask('administration', 'b', name)
    for (const name of ['login of a', 'login of b']) ask('login', name.slice(-1), name)
    await finishAll()
    expect(begun).to.deep.equal(['first', 'login of a', 'login of b', 'second', 'third'])
  })

  it('are refused to a company that has too many waiting, and to no other', async () => {
    const { begun, refused, ask, finishAll } = turnsByHand()
    for (let i = 0; i < 100; i++) ask('administration', 'b')
    for (let i = 0; i < 100; i++) ask('login', 'b', 'login of b')
    ask('administration', 'a')
    ask('login', 'a', 'login of a')
    await finishAll()
    expect(refused.filter((name) => name === 'b')).to.have.length(74)
    expect(refused.filter((name) => name === 'login of b')).to.have.length(90)
    expect(begun).to.include.members(['a', 'login of a'])
    expect(begun.slice(1, 3)).to.have.members(['login of a', 'login of b'])
    ask('login', 'b', 'later')
    await finishAll()
    expect(begun.at(-1)).to.equal('later')
  })

  it('are bounded for all companies together', async () => {
    const { begun, refused, ask, finishAll } = turnsByHand()
    for (let i = 0; i < 100; i++) ask('login', `company ${i}`)
    await finishAll()
    expect([begun.length, refused.length]).to.deep.equal([51, 49])
  })

  it('go on after work that fails', async () => {
    const turns = new HashTurns()
    const failed = turns.run({ purpose: 'login', company: 'a' }, () => Promise.reject(new Error('no')))
    const next = turns.run({ purpose: 'login', company: 'a' }, async () => 'done')
    expect(await failed.catch((error: Error) => error.message)).to.equal('no')
    expect(await next).to.equal('done')
  })
})
