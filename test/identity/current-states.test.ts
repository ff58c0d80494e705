/** What several processes know of one another's changes: never less than was so when a request asked. */
import { expect } from 'chai'
import { Unavailable } from '../../src/domain/errors.ts'
import { absent, type RecordState } from '../../src/domain/records/record.ts'
import { currentStates } from '../../src/identity/current-states.ts'
import { StoreContact } from '../../src/identity/store-contact.ts'

const state = (version: number): RecordState => ({ ...absent, status: 'live', version })

/** A store whose reads a test lets go on one by one; each shows what was there when it began. */
function slowStore() {
  let version = 1
  const reads: { readonly began: number; finish(error?: Error): void }[] = []
  return {
    reads,
    change: () => void version++,
    states: {
      onlyWriter: false,
      peek: () => undefined,
      recall: () => undefined,
      remembered: () => undefined,
      load: () =>
        new Promise<RecordState>((resolve, reject) => {
          const began = version
          reads.push({ began, finish: (error) => (error ? reject(error) : resolve(state(began))) })
        }),
    },
  }
}

function opened(states: ReturnType<typeof slowStore>['states']) {
  const contact = new StoreContact({ probe: async () => {}, elapsed: () => 0 })
  return currentStates({ states, contact, graceMs: 0 })
}

const soon = () => new Promise((go) => setImmediate(go))

describe('the current state, where others write too', () => {
  it('is never that of a read which began before the request asked', async () => {
    const { reads, states, change } = slowStore()
    const { load } = opened(states)
    const first = load('c', 'token-1')
    change()
    const second = load('c', 'token-1')
    reads[0]!.finish()
    expect((await first).version).to.equal(1)
    await soon()
    reads[1]!.finish()
    expect((await second).version).to.equal(2)
  })

  it('is read once for all who ask while a read is under way', async () => {
    const { reads, states } = slowStore()
    const { load } = opened(states)
    const asked = [load('c', 'token-1'), ...Array.from({ length: 100 }, () => load('c', 'token-1'))]
    expect(reads).to.have.length(1)
    reads[0]!.finish()
    await asked[0]
    await soon()
    expect(reads).to.have.length(2)
    reads[1]!.finish()
    await Promise.all(asked)
    await soon()
    expect(reads).to.have.length(2)
  })

  it('of one stream does not wait for another, nor one company for another', async () => {
    const { reads, states } = slowStore()
    const { load } = opened(states)
    const asked = [load('c', 'token-1'), load('c', 'token-2'), load('d', 'token-1')]
    expect(reads).to.have.length(3)
    for (const read of reads) read.finish()
    await Promise.all(asked)
  })

  it('is told to none while the store is away, and again when it is back', async () => {
    const { reads, states } = slowStore()
    const { load } = opened(states)
    const [first, second] = [load('c', 'token-1'), load('c', 'token-1')]
    reads[0]!.finish(new Unavailable('gone'))
    expect(await first.catch((error: unknown) => error)).to.be.instanceOf(Unavailable)
    await soon()
    reads[1]!.finish()
    expect((await second).version).to.equal(1)
  })
})
