import { expect } from 'chai'
import fc from 'fast-check'
import { recentlyUsed } from '../../src/domain/recently-used.ts'

type Step = readonly ['get' | 'set' | 'delete', string]

const steps = fc.array(
  fc.tuple(fc.constantFrom('get', 'set', 'delete'), fc.integer({ min: 0, max: 30 }).map(String)),
  { maxLength: 300 },
) as fc.Arbitrary<Step[]>

describe('a memory of what was used last', () => {
  it('answers what was set last, or nothing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), steps, (capacity, steps) => {
        const memory = recentlyUsed<number>(capacity)
        const all = new Map<string, number>()
        steps.forEach(([step, key], i) => {
          if (step === 'get') expect(memory.get(key)).to.be.oneOf([all.get(key), undefined])
          else if (step === 'delete') {
            memory.delete(key)
            all.delete(key)
          } else {
            memory.set(key, i)
            all.set(key, i)
          }
        })
      }),
    )
  })

  it('keeps the half of its capacity that was used last', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 20 }), steps, (capacity, steps) => {
        const memory = recentlyUsed<number>(capacity)
        let used: string[] = []
        steps.forEach(([step, key], i) => {
          if (step === 'delete') {
            memory.delete(key)
            used = used.filter((one) => one !== key)
          } else if (step === 'set' || memory.get(key) !== undefined) {
            if (step === 'set') memory.set(key, i)
            used = [key, ...used.filter((one) => one !== key)]
          }
        })
        const last = used.slice(0, Math.floor(capacity / 2))
        expect(last.filter((key) => memory.get(key) === undefined)).to.deep.equal([])
      }),
    )
  })

  it('has forgotten what was not used while as many others as it holds came', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 20 }), steps, (capacity, steps) => {
        const memory = recentlyUsed<number>(capacity)
        steps.forEach(([step, key], i) => {
          if (step === 'set') memory.set(key, i)
          else memory[step](key)
        })
        for (let i = 0; i < capacity; i++) memory.set(`another ${i}`, i)
        const kept = steps.filter(([, key]) => memory.get(key) !== undefined)
        expect(kept).to.deep.equal([])
      }),
    )
  })

  it('is empty when it has been cleared', () => {
    const memory = recentlyUsed<number>(4)
    for (const key of ['a', 'b', 'c', 'd']) memory.set(key, 1)
    memory.clear()
    expect(['a', 'b', 'c', 'd'].map((key) => memory.get(key))).to.deep.equal(Array(4).fill(undefined))
  })
})
