/** Followers as operators have them: seen, resumed, begun again. */
import { expect } from 'chai'
import { followersControl } from '../../src/projections/followers-control.ts'
import type { Position, RecordedEvent } from '../../src/domain/events/event.ts'
import { followEvents } from '../../src/projections/follow.ts'
import { memoryEventStore, memoryLog } from '../support/memory-event-store.ts'
import { newEvent } from '../support/events.ts'
import { COMPANY } from '../support/write-side.ts'

describe('followers that operators see', () => {
  /** Follows three events; the second cannot be handled while `broken` is set. */
  async function world(isShared = false) {
    const events = memoryEventStore({ log: memoryLog() })
    for (const n of [1, 2, 3])
      await events.append({
        company: COMPANY,
        stream: `job-${n}`,
        expected: 0,
        events: [newEvent({ company: COMPANY })],
      })
    const seen: Position[] = []
    const state = { broken: false, position: 0, drops: 0 }
    const control = followersControl(isShared)
    const until = async (isSo: () => boolean | Promise<boolean>) => {
      while (!(await isSo())) await new Promise(setImmediate)
    }
    await control.add({
      start: () =>
        followEvents<RecordedEvent>({
          events,
          store: {
            position: async () => state.position,
            async apply(work, position) {
              const passing = work.flatMap(({ steps }) => steps.map((step) => step.position))
              if (state.broken && passing.includes(2)) throw new Error('it cannot be handled')
              seen.push(...passing)
              state.position = position
            },
            settled: async () => {},
            close: async () => {},
          },
          projections: [{ name: 'rule@1234', needs: [], project: (event) => [event] }],
          onStatus: () => {},
          onTrouble: () => {},
        }),
      drop: async () => {
        state.drops++
        state.position = 0
      },
      shownAs: (name) => `timers.${name.replace(/@.*/, '')}`,
    })
    const [status] = [async () => (await control.status())[0]!]
    return { control, seen, state, until, status, events }
  }

  it('are parked for all to see before what they cannot handle, and go on when they are resumed', async () => {
    const { control, seen, state, until, status } = await world()
    state.broken = true
    await control.rebuild('timers.rule')
    await until(async () => (await status()).state === 'parked')
    expect(await status()).to.deep.include({
      name: 'timers.rule',
      position: 1,
      error: { position: 2, message: 'it cannot be handled' },
    })
    state.broken = false
    await control.resume('timers.rule')
    await until(() => state.position === 3)
    expect((await status()).state).to.equal('live')
    expect(seen.slice(-3)).to.deep.equal([1, 2, 3])
    await control.stop()
  })

  it('begin again from the first event, one after the other', async () => {
    const { control, seen, state, until } = await world()
    await until(() => state.position === 3)
    await Promise.all([control.rebuild('timers.rule'), control.rebuild('timers.rule')])
    await until(() => state.position === 3)
    expect(state.drops).to.equal(2)
    expect(seen.slice(-3)).to.deep.equal([1, 2, 3])
    await control.stop()
  })

  it('do not begin again beside those of other processes', async () => {
    const { control, state } = await world(true)
    const error = await control.rebuild('timers.rule').catch((thrown: unknown) => thrown)
    expect(error).to.have.property('name', 'Conflict')
    expect(state.drops).to.equal(0)
    await control.stop()
  })
})
