import { expect } from 'chai'
import { numberSequences } from '../../../src/commands/support/number-sequence.ts'
import { derivedId } from '../../../src/commands/support/identifiers.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { create } from '../../support/given.ts'
import { caller, COMPANY, manualClock, writeSide } from '../../support/write-side.ts'
import {
  memoryEventStore,
  memoryLog,
  type Interference,
  type MemoryLog,
} from '../../support/memory-event-store.ts'

const lease = { MonthlyRent: { Amount: 1250.5, Currency: 'EUR' }, StartDate: '2030-01-01' }

let commands = 0
const process = (log: MemoryLog, interference: Interference = {}, clock = manualClock()) =>
  numberSequences({
    events: memoryEventStore({ log, interference }),
    clock,
    newCommand: () => derivedId(`reservation ${++commands}`),
  })
const places = (count: number, numbers = process(memoryLog()), year = 2026): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, () => numbers.next(COMPANY, 'contract', year)))
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index)

describe('a sequence of numbers', () => {
  it('counts from 1, without gaps while nothing fails', async () => {
    const numbers = process(memoryLog())
    for (const place of [1, 2, 3, 4]) expect(await numbers.next(COMPANY, 'contract', 2026)).to.equal(place)
  })

  it('gives those who wait together one number each, by one append', async () => {
    const log = memoryLog()
    expect(await places(64, process(log))).to.deep.equal(upTo(64))
    expect(log.rows).to.have.length(1)
  })

  it('is another for each company, object and year', async () => {
    const numbers = process(memoryLog())
    const firsts = await Promise.all([
      numbers.next(COMPANY, 'contract', 2026),
      numbers.next('company-2', 'contract', 2026),
      numbers.next(COMPANY, 'invoice', 2026),
      numbers.next(COMPANY, 'contract', 2027),
    ])
    expect(firsts).to.deep.equal([1, 1, 1, 1])
  })

  it('takes stock under load, up to a thousand at once, and only what is asked for when it is quiet', async () => {
    const log = memoryLog()
    const clock = manualClock()
    const numbers = process(log, {}, clock)
    const reserved = () => log.all().map(({ data }) => data['UpTo'])
    for (let i = 0; i < 8; i++) await numbers.next(COMPANY, 'contract', 2026)
    expect(reserved()).to.deep.equal([1, 3, 7, 15])
    clock.pass(250)
    for (let i = 0; i < 8; i++) await numbers.next(COMPANY, 'contract', 2026)
    expect(reserved()).to.deep.equal([1, 3, 7, 15, 16])
    for (let i = 0; i < 5_000; i++) await numbers.next(COMPANY, 'contract', 2026)
    const sizes = reserved().map((end, index, all) => Number(end) - Number(all[index - 1] ?? 0))
    expect(Math.max(...sizes)).to.equal(1_000)
  })

  it('is shared by two processes, which never give the same number', async () => {
    const log = memoryLog()
    const both = [process(log), process(log)]
    const given = await Promise.all(both.flatMap((numbers) => [places(50, numbers), places(50, numbers)]))
    const all = given.flat()
    expect(new Set(all).size).to.equal(200)
    for (const numbers of both) expect(all).to.not.include(await numbers.next(COMPANY, 'contract', 2026))
  })

  it('is known by its last event, when it is begun and when another process was faster', async () => {
    const log = memoryLog()
    const [other, store] = [process(log), memoryEventStore({ log })]
    let looks = 0
    const numbers = numberSequences({
      events: {
        append: store.append,
        last(company, stream) {
          looks++
          return store.last(company, stream)
        },
      },
      clock: manualClock(),
      newCommand: () => derivedId(`reservation ${++commands}`),
    })
    const taken = []
    for (let i = 0; i < 3; i++) for (const one of [numbers, other]) taken.push(...(await places(1_000, one)))
    expect(new Set(taken).size).to.equal(6_000)
    expect(looks).to.be.greaterThan(1)
  })

  it('leaves a gap where a process died after reserving, and gives no number twice', async () => {
    const log = memoryLog()
    const given = await places(5, process(log))
    const dying = process(log, { after: () => new Promise<never>(() => {}) })
    void places(3, dying)
    await new Promise((resolve) => setImmediate(resolve))
    expect(log.rows).to.have.length(2)
    given.push(...(await places(5, process(log))))
    expect(given).to.deep.equal([...upTo(5), ...upTo(5, 9)])
  })

  it('leaves a gap where it is not known whether the reservation was stored', async () => {
    const log = memoryLog()
    const interference: Interference = {
      after() {
        delete interference.after
        throw new Unavailable('the answer was lost')
      },
    }
    const numbers = process(log, interference)
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => numbers.next(COMPANY, 'contract', 2026)))
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected'])
    expect(await places(2, numbers)).to.deep.equal([4, 5])
  })

  it('fails for all who wait when the store cannot take it, and goes on when it can', async () => {
    const interference: Interference = {
      before() {
        throw new Unavailable('the store is down')
      },
    }
    const numbers = process(memoryLog(), interference)
    const outcomes = await Promise.allSettled([1, 2].map(() => numbers.next(COMPANY, 'contract', 2026)))
    for (const outcome of outcomes)
      expect((outcome as PromiseRejectedResult).reason).to.be.instanceOf(Unavailable)
    delete interference.before
    expect(await places(2, numbers)).to.deep.equal([1, 2])
  })

  it('serves those who come while it reserves', async () => {
    const interference: Interference = {}
    const numbers = process(memoryLog(), interference)
    let late: Promise<number[]> = Promise.resolve([])
    interference.before = () => {
      delete interference.before
      late = places(3, numbers)
    }
    expect(await numbers.next(COMPANY, 'contract', 2026)).to.equal(1)
    expect(await late).to.deep.equal([2, 3, 4])
  })
})

describe('the numbers of contracts', () => {
  const numbersOf = (log: MemoryLog) =>
    log
      .all()
      .flatMap(({ type, data }) => (type === 'contract.created' ? [data['ContractNumber'] as string] : []))

  it('are 64 different ones for 64 creates at once', async () => {
    const { log, write } = writeSide()
    await Promise.all(Array.from({ length: 64 }, () => create('contract', lease)(write)))
    expect(numbersOf(log).toSorted()).to.deep.equal(
      upTo(64).map((place) => `CON-2026-${String(place).padStart(4, '0')}`),
    )
    expect(log.rows).to.have.length(65)
  })

  it('begin anew with the year of UTC, and go on in the old one when the clock goes back', async () => {
    const clock = manualClock('2026-12-31T23:59:59.999Z')
    const { log, write } = writeSide({ clock })
    const times = [
      '2026-12-31T23:59:59.999Z',
      '2027-01-01T00:00:00.000Z',
      '2026-12-31T23:59:59.999Z',
      '2028-02-29T12:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
    ]
    for (const time of times) {
      clock.jump(time)
      await create('contract', lease)(write)
    }
    expect(numbersOf(log)).to.deep.equal([
      'CON-2026-0001',
      'CON-2027-0001',
      'CON-2026-0002',
      'CON-2028-0001',
      'CON-2027-0002',
    ])
  })

  it('are not given to what is refused', async () => {
    const { log, write } = writeSide()
    const wrong = create('contract', { ...lease, Tenant: 'tenant-1' })
    await Promise.allSettled([wrong(write), create('contract', lease)(write), wrong(write)])
    await create('contract', lease)(write)
    expect(numbersOf(log)).to.deep.equal(['CON-2026-0001', 'CON-2026-0002'])
  })

  it('of a create that died before it was stored are gaps, not to be had again', async () => {
    const log = memoryLog()
    const interference: Interference = {
      before({ stream }) {
        if (stream.startsWith('contract-')) throw new Unavailable('the disk is full')
      },
    }
    const dying = writeSide({ log, interference })
    await Promise.allSettled([create('contract', lease)(dying.write)])
    await create('contract', lease, caller())(writeSide({ log, process: 2 }).write)
    expect(numbersOf(log)).to.deep.equal(['CON-2026-0002'])
  })
})
