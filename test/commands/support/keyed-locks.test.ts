import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { keyedLocks, type Wanted } from '../../../src/commands/support/keyed-locks.ts'
import { gate } from '../../support/memory-event-store.ts'

const exclusive = (...keys: string[]): Wanted[] => keys.map((key) => ({ key, shared: false }))
const shared = (...keys: string[]): Wanted[] => keys.map((key) => ({ key, shared: true }))

describe('keyed locks', () => {
  /** Starts work that goes on until its gate is opened, and tells who has begun and in what order they ended. */
  const workshop = () => {
    const locks = keyedLocks()
    const [begun, ended]: [string[], string[]] = [[], []]
    const start = (name: string, wanted: readonly Wanted[]) => {
      const held = gate()
      const done = locks.holding(wanted, async () => {
        begun.push(name)
        await held.hold()
        ended.push(name)
        return name
      })
      return { done, open: held.open }
    }
    return { locks, begun, ended, start }
  }

  it('give back what the work gives', async () => {
    expect(await keyedLocks().holding(exclusive('a'), async () => 42)).to.equal(42)
    expect(await keyedLocks().holding([], async () => 42)).to.equal(42)
  })

  it('let one holder after the other, in the order in which they came', async () => {
    const { begun, ended, start } = workshop()
    const [first, second, third] = ['first', 'second', 'third'].map((name) => start(name, exclusive('a')))
    await turn()
    expect(begun).to.deep.equal(['first'])
    second!.open()
    third!.open()
    await turn()
    expect(ended).to.deep.equal([])
    first!.open()
    await Promise.all([first, second, third].map((work) => work!.done))
    expect(ended).to.deep.equal(['first', 'second', 'third'])
  })

  it('let those go on who want other keys', async () => {
    const { begun, start } = workshop()
    const works = [start('a', exclusive('a')), start('b', exclusive('b')), start('c', exclusive('c', 'd'))]
    await turn()
    expect(begun).to.deep.equal(['a', 'b', 'c'])
    for (const { open } of works) open()
    await Promise.all(works.map(({ done }) => done))
  })

  it('let those who share go on together, and the exclusive one alone', async () => {
    const { begun, start } = workshop()
    const sharers = [start('one', shared('a')), start('two', shared('a'))]
    const alone = start('alone', exclusive('a'))
    await turn()
    expect(begun).to.deep.equal(['one', 'two'])
    for (const { open } of sharers) open()
    await turn()
    expect(begun).to.deep.equal(['one', 'two', 'alone'])
    const late = [start('three', shared('a')), start('four', shared('a'))]
    await turn()
    expect(begun).to.have.length(3)
    alone.open()
    await turn()
    expect(begun).to.deep.equal(['one', 'two', 'alone', 'three', 'four'])
    for (const { open } of late) open()
  })

  it('do not let sharers overtake one who waits to be alone', async () => {
    const { begun, start } = workshop()
    const sharer = start('sharer', shared('a'))
    const alone = start('alone', exclusive('a'))
    const late = start('late', shared('a'))
    await turn()
    expect(begun).to.deep.equal(['sharer'])
    sharer.open()
    await turn()
    expect(begun).to.deep.equal(['sharer', 'alone'])
    alone.open()
    late.open()
    await Promise.all([sharer, alone, late].map(({ done }) => done))
  })

  it('are exclusive for a key that is wanted both ways', async () => {
    const { begun, start } = workshop()
    const both = start('both', [...shared('a'), ...exclusive('a'), ...shared('a')])
    const sharer = start('sharer', shared('a'))
    await turn()
    expect(begun).to.deep.equal(['both'])
    both.open()
    sharer.open()
    await Promise.all([both.done, sharer.done])
  })

  it('are let go when the work fails', async () => {
    const { locks } = workshop()
    for (const work of [
      () => Promise.reject(new Error('failed')),
      () => {
        throw new Error('failed')
      },
    ]) {
      const outcome = await locks.holding(exclusive('a', 'b'), work).catch((error: Error) => error.message)
      expect(outcome).to.equal('failed')
    }
    expect(await locks.holding(exclusive('b', 'a'), async () => 'free')).to.equal('free')
  })

  it('never overlap where one is exclusive, and all get their turn, whatever is wanted', async () => {
    const anyWanted = fc.array(
      fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', '__proto__'), shared: fc.boolean() }),
      { maxLength: 4 },
    )
    const anyWork = fc.record({ wanted: anyWanted, turns: fc.nat({ max: 4 }), fails: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(anyWork, { maxLength: 30 }), async (works) => {
        const locks = keyedLocks()
        const holders = new Map<string, { shared: number; exclusive: number }>()
        const count = (wanted: readonly Wanted[], by: 1 | -1) => {
          for (const key of new Set(wanted.map((each) => each.key))) {
            const holder = holders.get(key) ?? { shared: 0, exclusive: 0 }
            const alone = wanted.some((each) => each.key === key && !each.shared)
            holder[alone ? 'exclusive' : 'shared'] += by
            holders.set(key, holder)
          }
        }
        let finished = 0
        const run = ({ wanted, turns, fails }: (typeof works)[number]) =>
          locks.holding(wanted, async () => {
            count(wanted, 1)
            for (const holder of holders.values())
              expect(holder.exclusive).to.be.at.most(holder.shared > 0 ? 0 : 1)
            for (let i = 0; i < turns; i++) await Promise.resolve()
            count(wanted, -1)
            finished++
            if (fails) throw new Error('failed')
          })
        const outcomes = await Promise.allSettled(works.map(run))
        expect(finished).to.equal(works.length)
        expect(outcomes.map(({ status }) => status === 'rejected')).to.deep.equal(
          works.map(({ fails }) => fails),
        )
      }),
      { numRuns: 200 },
    )
  })
})
