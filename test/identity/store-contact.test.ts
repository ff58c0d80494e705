/** What is known of the event store by the reads that it answers, and what requests are given meanwhile. */
import { expect } from 'chai'
import { Unavailable } from '../../src/domain/errors.ts'
import { absent, type RecordState } from '../../src/domain/records/record.ts'
import { currentStates } from '../../src/identity/current-states.ts'
import { StoreContact } from '../../src/identity/store-contact.ts'

const soon = () => new Promise((go) => setImmediate(go))
const never = () => new Promise<never>(() => {})
const refused = (work: Promise<unknown>) =>
  work.then(
    () => false,
    (error: unknown) => error instanceof Unavailable,
  )

/** A contact with a clock and probes in the test's hand. */
function contactByHand() {
  let time = 0
  const probes: { answer(): void; fail(): void }[] = []
  const pauses: (() => void)[] = []
  const contact = new StoreContact({
    elapsed: () => time,
    probe: () =>
      new Promise<void>((answer, fail) =>
        probes.push({ answer, fail: () => fail(new Unavailable('still away')) }),
      ),
    pause: () => new Promise<void>((go) => pauses.push(go)),
  })
  return { contact, probes, pauses, pass: (ms: number) => void (time += ms) }
}

describe('the contact with the event store', () => {
  it('is lost when a read fails, or is not answered for as long as a request waits', async () => {
    const { contact, pass } = contactByHand()
    const asked = contact.note(never())
    void asked
    expect(contact.silentMs()).to.equal(0)
    pass(1_999)
    let begun = 0
    const work = async () => ++begun
    expect(await contact.within(2_000, work)).to.equal(1)
    pass(1)
    expect(await refused(contact.within(2_000, work))).to.equal(true)
    expect(begun, 'nothing is begun any more').to.equal(1)
    expect(await contact.within(5_000, work), 'others wait longer').to.equal(2)
  })

  it('is found again by a probe, without a request', async () => {
    const { contact, probes, pauses, pass } = contactByHand()
    const lost = () => contact.note(Promise.reject<unknown>(new Unavailable('gone')))
    expect(await refused(contact.within(2_000, lost))).to.equal(true)
    pass(10_000)
    expect(await refused(contact.within(5_000, async () => 1))).to.equal(true)
    expect(probes).to.have.length(1)
    probes[0]!.fail()
    await soon()
    expect([probes.length, pauses.length]).to.deep.equal([1, 1])
    pauses[0]!()
    await soon()
    probes[1]!.answer()
    await soon()
    expect(contact.silentMs()).to.equal(0)
    expect(await contact.within(5_000, async () => 1)).to.equal(1)
    expect([probes.length, pauses.length]).to.deep.equal([2, 1])
  })

  it('is there again as soon as any read is answered, be it with an error', async () => {
    for (const answer of [Promise.resolve(1), Promise.reject<number>(new Error('not readable'))]) {
      const { contact, pass } = contactByHand()
      void contact.note(never())
      pass(10_000)
      await contact.note(answer).catch(() => {})
      expect(contact.silentMs()).to.equal(0)
    }
  })

  it('ends a wait that takes too long', async () => {
    const { contact } = contactByHand()
    expect(await refused(contact.within(5, () => contact.note(never())))).to.equal(true)
    contact.close()
  })
})

describe('remembered states', () => {
  const known: RecordState = { ...absent, status: 'live', version: 3 }
  const opened = (graceMs: number) => {
    const { contact, pass } = contactByHand()
    const states = {
      onlyWriter: false,
      load: never,
      peek: () => undefined,
      recall: () => undefined,
      remembered: (_company: string, key: string) => (key === 'known' ? known : undefined),
    }
    const { load, remembered } = currentStates({ states, contact, graceMs })
    void load('c', 'known')
    return { remembered, pass }
  }

  it('are given for the time of grace, counted from the first read without an answer', async () => {
    const { remembered, pass } = opened(30_000)
    pass(29_999)
    expect(await remembered.load('c', 'known')).to.equal(known)
    expect(await refused(remembered.load('c', 'other'))).to.equal(true)
    expect(await refused(remembered.ask(async () => 1))).to.equal(true)
    pass(1)
    expect(await refused(remembered.load('c', 'known'))).to.equal(true)
  })

  it('are not given at all where that time is 0', async () => {
    const { remembered } = opened(0)
    expect(await refused(remembered.load('c', 'known'))).to.equal(true)
  })
})
