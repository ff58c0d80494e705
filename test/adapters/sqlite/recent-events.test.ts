/** Events that followers in the same process get without reading them back: the same as the log has, or none. */
import { expect } from 'chai'
import { recentEvents, type Stored } from '../../../src/adapters/sqlite/events/recent-events.ts'
import { newEvent } from '../../support/events.ts'

const appended = (stream: string, count = 1, size = 100): Stored => ({
  append: {
    company: 'company-1',
    stream,
    expected: 0,
    events: Array.from({ length: count }, () => newEvent()),
  },
  size,
})

describe('recent events', () => {
  const places = (events: readonly { position: number; stream: string; version: number }[] | undefined) =>
    events?.map(({ position, stream, version }) => `${position} ${stream} ${version}`)

  it('are those of a group, in their order, with their places', () => {
    const recent = recentEvents(7)
    recent.stored(
      [appended('a'), appended('b', 2), appended('c')],
      [{ version: 3, position: 8 }, { version: 2, position: 10 }, { conflict: 4 }],
      10,
    )
    expect(places(recent.after(7, 10))).to.deep.equal(['8 a 3', '9 b 1', '10 b 2'])
    expect(places(recent.after(8, 1))).to.deep.equal(['9 b 1'])
    expect(recent.after(10, 10)).to.deep.equal([])
    expect(recent.after(6, 10), 'before the first').to.equal(undefined)
    expect(recent.after(11, 10), 'past the end').to.equal(undefined)
  })

  it('leave out what was stored before', () => {
    const recent = recentEvents(7)
    recent.stored(
      [appended('a'), appended('b')],
      [
        { version: 1, position: 3 },
        { version: 1, position: 8 },
      ],
      8,
    )
    expect(places(recent.after(7, 10))).to.deep.equal(['8 b 1'])
  })

  it('are none where the log has others in between', () => {
    const recent = recentEvents(7)
    recent.stored([appended('a')], [{ version: 1, position: 8 }], 8)
    recent.stored([appended('b')], [{ version: 1, position: 10 }], 10)
    expect(recent.after(7, 10)).to.equal(undefined)
    expect(recent.after(9, 10)).to.equal(undefined)
    recent.stored([appended('c')], [{ version: 1, position: 11 }], 11)
    expect(places(recent.after(10, 10))).to.deep.equal(['11 c 1'])
    recent.stored([undefined], [{ version: 1, position: 12 }], 12)
    expect(recent.after(11, 10), 'an append that nobody waits for').to.equal(undefined)
  })

  for (const { what, size, count } of [
    { what: 'events', size: 100, count: 5_000 },
    { what: 'characters', size: 900_000, count: 40 },
  ])
    it(`are bounded by ${what}, without gaps`, () => {
      const recent = recentEvents(0)
      for (let position = 1; position <= count; position++)
        recent.stored([appended('a', 1, size)], [{ version: position, position }], position)
      expect(recent.after(0, 10)).to.equal(undefined)
      let oldest = count
      while (recent.after(oldest - 1, 1) !== undefined) oldest--
      expect((count - oldest) * size).to.be.at.most(Math.max(2_000 * 100, 8_000_000 + 2 * size))
      const all = recent.after(oldest, count)!
      expect(all.map(({ position }) => position)).to.deep.equal(
        Array.from({ length: count - oldest }, (_, i) => oldest + 1 + i),
      )
    })
})
