import { expect } from 'chai'
import { Conflict, Unavailable } from '../../../src/domain/errors.ts'
import { given, remove, restore, type Doing } from '../../support/given.ts'
import { gate, memoryLog, type Interference, type MemoryLog } from '../../support/memory-event-store.ts'
import { caller, manualClock, newKey, recordsIn, writeSide } from '../../support/write-side.ts'
import { bearers, named, ownerOf, race, TAKEN, tenant } from '../external-ids.ts'

describe('a claim that nothing bears out', () => {
  /** A process that dies, or does not learn what became of it, after it has claimed. */
  const claimedInVain = async (doing: Doing, clock = manualClock()) => {
    const log = memoryLog()
    const interference: Interference = {
      before({ stream }) {
        if (stream.startsWith('tenant-')) throw new Unavailable('the process died')
      },
    }
    const dying = writeSide({ log, interference, clock })
    await race(dying, doing)
    return { log, clock, side: writeSide({ log, clock, process: 2 }) }
  }

  it('stands for 30 seconds from when it is first seen, longer than any command, and is then taken over', async () => {
    const { log, clock, side } = await claimedInVain(named('Ann'))
    await given().when(named('Bea'), side).thenRefused(Conflict, TAKEN)
    clock.pass(29_999)
    await given().when(named('Bea'), side).thenRefused(Conflict, TAKEN)
    clock.pass(1)
    await named('Cem')(side.write)
    expect(bearers(log)).to.have.length(1)
  })

  it('is not judged by clocks that differ by less than ten minutes: the command may be under way', async () => {
    const log = memoryLog()
    const stall = gate()
    const interference: Interference = {
      before: ({ stream }) => (stream.startsWith('tenant-') ? stall.hold() : undefined),
    }
    const slow = writeSide({ log, onlyWriter: false, process: 1, interference })
    const ahead = writeSide({
      log,
      onlyWriter: false,
      process: 2,
      clock: manualClock('2026-03-01T09:39:59.000Z'),
    })
    const first = named('Ann')(slow.write)
    await stall.reached
    await given().when(named('Bea'), ahead).thenRefused(Conflict, TAKEN)
    stall.open()
    await first
    expect(bearers(log)).to.have.length(1)
  })

  it('is given up by a command that takes too long to append', async () => {
    const [log, clock] = [memoryLog(), manualClock()]
    const interference: Interference = {
      after({ stream }) {
        if (stream.startsWith('claim-')) clock.pass(20_001)
      },
    }
    const slow = writeSide({ log, clock, interference })
    await given().when(named('Ann'), slow).thenRefused(Unavailable)
    expect(bearers(log)).to.deep.equal([])
    expect(await ownerOf(slow, 'E-1')).to.equal(undefined)
    await named('Bea')(writeSide({ log, clock, process: 2 }).write)
  })

  it('belongs to nobody for those who ask', async () => {
    const { side } = await claimedInVain(named('Ann'))
    expect(await ownerOf(side, 'E-1')).to.equal(undefined)
  })

  it('stands as long as its record bears it out, however old it is', async () => {
    const clock = manualClock()
    const side = writeSide({ clock })
    await named('Ann')(side.write)
    clock.pass(365 * 86_400_000)
    await given().when(named('Bea'), side).thenRefused(Conflict, TAKEN)
  })

  it('is taken over by one only', async () => {
    const { log, clock } = await claimedInVain(named('Ann'))
    clock.pass(660_000)
    const sides = [3, 4].map((process) => writeSide({ log, clock, process, onlyWriter: false }))
    const outcomes = await Promise.all(sides.map((side) => race(side, named('Bea'), named('Cem'))))
    expect(outcomes.flat().filter(({ status }) => status === 'fulfilled')).to.have.length(1)
    expect(bearers(log)).to.have.length(1)
  })

  it('is no longer needed by the record that let the value go without saying so', async () => {
    const log = memoryLog()
    const clock = manualClock()
    const interference: Interference = {}
    const dying = writeSide({ log, clock, interference })
    await named('Ann')(dying.write)
    interference.before = ({ stream }) => {
      if (stream.startsWith('claim-')) throw new Unavailable('the process died')
    }
    await race(dying, remove(newKey('tenant')))
    expect(recordsIn(log).get(newKey('tenant'))?.state.status).to.equal('deleted')
    clock.pass(660_000)
    await named('Bea')(writeSide({ log, clock, process: 2 }).write)
    expect(bearers(log)).to.have.length(1)
  })

  it('is not what another process has claimed anew for the same record', async () => {
    // One process deletes Ann and is slow to let her value go; meanwhile another brings her back.
    const log = memoryLog()
    const [deleted, restored] = [gate(), gate()]
    const isAnn = (stream: string) => stream === newKey('tenant')
    const deleting = writeSide({
      log,
      onlyWriter: false,
      interference: { after: ({ stream }) => (isAnn(stream) ? deleted.hold() : undefined) },
    })
    const restoring = writeSide({
      log,
      process: 2,
      onlyWriter: false,
      interference: { before: ({ stream }) => (isAnn(stream) ? restored.hold() : undefined) },
    })
    await named('Ann')(writeSide({ log }).write)
    const removing = remove(newKey('tenant'))(deleting.write)
    await deleted.reached
    const bringingBack = restore(newKey('tenant'))(restoring.write)
    await restored.reached
    deleted.open()
    await removing
    restored.open()
    await bringingBack
    await race(restoring, named('Bea'))
    expect(bearers(log)).to.deep.equal([newKey('tenant')])
  })

  /** Another process takes the value while the first is between its claim and its record. */
  const interrupted = async (log: MemoryLog, clock: ReturnType<typeof manualClock>, doing: Doing) => {
    const held = gate()
    const slow = writeSide({
      log,
      clock,
      process: 2,
      onlyWriter: false,
      interference: { before: ({ stream }) => (stream.startsWith('tenant-') ? held.hold() : undefined) },
    })
    const writing = race(slow, doing)
    await held.reached
    const others = await race(writeSide({ log, clock, process: 3, onlyWriter: false }), named('Bea'))
    held.open()
    return [...(await writing), ...others]
  }

  it('is made anew by the record that wants its value back', async () => {
    // Ann was deleted by a process that died before it let the value go; she is restored an hour later.
    const [log, clock] = [memoryLog(), manualClock()]
    const dying: Interference = {}
    const side = writeSide({ log, clock, interference: dying })
    await named('Ann')(side.write)
    dying.before = ({ stream }) => {
      if (stream.startsWith('claim-')) throw new Unavailable('the process died')
    }
    await race(side, remove(newKey('tenant')))
    clock.pass(3_600_000)
    await interrupted(log, clock, restore(newKey('tenant')))
    expect(bearers(log)).to.have.length(1)
  })

  it('is as old as the run that made it, not as the request that is run again', async () => {
    const [log, clock] = [memoryLog(), manualClock()]
    const again = caller({ repeatedFrom: clock.now() })
    clock.pass(3_600_000)
    await interrupted(log, clock, (write) =>
      write.create(again, { definition: tenant, body: { Name: 'Ann', ExternalId: 'E-1' } }),
    )
    expect(bearers(log)).to.have.length(1)
  })

  it('is made anew by the request that is run again', async () => {
    const [log, clock] = [memoryLog(), manualClock()]
    const again = caller({ repeatedFrom: clock.now() })
    const createAnn: Doing = (write) =>
      write.create(again, { definition: tenant, body: { Name: 'Ann', ExternalId: 'E-1' } })
    const interference: Interference = {
      before({ stream }) {
        if (stream.startsWith('tenant-')) throw new Unavailable('the process died')
      },
    }
    await race(writeSide({ log, clock, interference }), createAnn)
    clock.pass(3_600_000)
    await interrupted(log, clock, createAnn)
    expect(bearers(log)).to.have.length(1)
  })
})
