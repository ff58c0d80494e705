import { hintsInProcess } from '../../src/webhooks/hints-in-process.ts'
import { hintsContract } from '../contracts/hints.ts'
import { hint, listenTo, until } from '../contracts/hints/listening.ts'
import { expect } from 'chai'

describe('hints within the process', () => {
  hintsContract(async () => hintsInProcess())

  it('that wait for the same endpoint are one', async () => {
    const hints = hintsInProcess()
    await hints.publish([hint('a'), hint('b'), hint('a')])
    const { handed } = listenTo(hints)
    await until(() => handed.length === 2)
    expect(handed).to.deep.equal([hint('a'), hint('b')])
  })
})
