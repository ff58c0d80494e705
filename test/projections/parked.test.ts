import { expect } from 'chai'
import fc from 'fast-check'
import type { Position } from '../../src/domain/events/event.ts'
import { followers, logOf, memoryProjectionStore, more, projection, tenant, type Work } from './following.ts'

describe('following events', () => {
  const { follow, until, quiet, troubles } = followers()

  describe('past an event that a projection does not understand', () => {
    const projections = (poison: (key: string) => boolean) => [
      projection('records', [], poison),
      projection('search', ['records']),
      projection('warehouse'),
    ]

    it('parks it before the event, visibly; those that need it wait; the others go on', async () => {
      const log = await logOf(...[1, 2, 3, 4, 5].map(tenant))
      const { at, of, positions } = await follow({
        log,
        projections: projections((one) => one === tenant(3)),
      })
      await until(() => at('warehouse').position === 5)
      await more(log, tenant(6))
      await until(() => at('warehouse').position === 6)
      const message = `records does not understand ${tenant(3)}`
      expect(at('records')).to.deep.equal({
        name: 'records',
        position: 2,
        state: 'parked',
        error: { position: 3, message },
      })
      expect(at('search').position).to.equal(2)
      expect(at('search').error).to.equal(undefined)
      expect(Object.fromEntries(positions)).to.deep.equal({ records: 2, search: 2, warehouse: 6 })
      expect([of('records').length, of('search').length, of('warehouse').length]).to.deep.equal([2, 2, 6])
      expect(troubles()).to.deep.equal(['projection records is parked at position 3'])
    })

    it('does nothing more when all are parked, and can be stopped', async () => {
      const log = await logOf(tenant(1), tenant(2))
      const { at, applied } = await follow({ log, projections: [projection('records', [], () => true)] })
      await until(() => at('records').state === 'parked')
      await more(log, tenant(3))
      await quiet()
      expect([applied, at('records').position, troubles().length]).to.deep.equal([[], 0, 1])
    })

    it('goes on when it is resumed and understands, with everything that came meanwhile', async () => {
      let understands = false
      const log = await logOf(...[1, 2, 3, 4].map(tenant))
      const { at, of, resume } = await follow({
        log,
        projections: projections((one) => one === tenant(2) && !understands),
      })
      await until(() => at('warehouse').position === 4)
      resume('records')
      await quiet()
      expect(at('records')).to.deep.include({ position: 1, state: 'parked' })
      understands = true
      resume('records')
      await until(() => at('search').position === 4)
      for (const name of ['records', 'search', 'warehouse'])
        expect(of(name)).to.deep.equal([1, 2, 3, 4].map((number) => `${name} ${tenant(number)}`))
      expect(at('records')).to.deep.equal({ name: 'records', position: 4, state: 'live' })
    })

    it('parks each at its own event', async () => {
      const log = await logOf(...[1, 2, 3, 4, 5, 6].map(tenant))
      const { at } = await follow({
        log,
        projections: [
          projection('one', [], (one) => one === tenant(5)),
          projection('other', [], (one) => one === tenant(2)),
          projection('dependent', ['one', 'other']),
        ],
      })
      await until(() => at('one').state === 'parked' && at('other').state === 'parked')
      await quiet()
      expect([at('one').position, at('other').position, at('dependent').position]).to.deep.equal([4, 1, 1])
    })
  })

  describe('past an event that a read model does not take', () => {
    it('finds it and parks before it; the events around it are applied', async () => {
      const log = await logOf(...[1, 2, 3, 4, 5].map(tenant))
      const models = memoryProjectionStore()
      models.onApply(refusing('warehouse', tenant(4)))
      const { at, of } = await follow({
        log,
        models,
        projections: [projection('records'), projection('warehouse')],
      })
      await until(() => at('records').position === 5)
      expect(at('warehouse')).to.deep.include({ position: 3, state: 'parked' })
      expect(at('warehouse').error).to.deep.equal({ position: 4, message: 'no such row' })
      expect([of('records').length, of('warehouse').length]).to.deep.equal([5, 3])
    })

    it('makes those wait that need the one that is parked: they never run ahead of it', async () => {
      const log = await logOf(...[1, 2, 3, 4].map(tenant))
      const models = memoryProjectionStore()
      models.onApply(refusing('records', tenant(3)))
      const { at, of } = await follow({
        log,
        models,
        projections: [projection('records'), projection('search', ['records']), projection('warehouse')],
      })
      await until(() => at('warehouse').position === 4)
      expect(at('records').state).to.equal('parked')
      expect([at('search').position, at('search').error]).to.deep.equal([2, undefined])
      expect(of('search')).to.have.length(2)
    })

    it('parks those as well that do not understand an event behind it', async () => {
      const log = await logOf(...[1, 2, 3, 4].map(tenant))
      const models = memoryProjectionStore()
      models.onApply(refusing('records', tenant(1)))
      const { at, of } = await follow({
        log,
        models,
        projections: [projection('records'), projection('warehouse', [], (one) => one === tenant(3))],
      })
      await until(() => at('records').state === 'parked')
      await quiet()
      expect(at('warehouse')).to.deep.equal({
        name: 'warehouse',
        position: 2,
        state: 'parked',
        error: { position: 3, message: `warehouse does not understand ${tenant(3)}` },
      })
      expect(of('warehouse')).to.have.length(2)
    })

    it('leaves nothing out of a projection that is resumed at that moment', async () => {
      const log = await logOf(...[1, 2, 3, 4].map(tenant))
      const models = memoryProjectionStore()
      let understands = false
      const { at, of, resume } = await follow({
        log,
        models,
        projections: [
          projection('records', [], (one) => one === tenant(2) && !understands),
          projection('warehouse'),
        ],
      })
      await until(() => at('warehouse').position === 4)
      models.onApply((work, position) => {
        // The batch is refused once, and meanwhile someone resumes the parked projection.
        models.onApply(() => {})
        understands = true
        resume('records')
        refusing('warehouse', tenant(5))(work, position)
      })
      await more(log, tenant(5))
      await until(() => at('records').position === 5)
      await quiet()
      expect(of('records')).to.deep.equal([1, 2, 3, 4, 5].map((number) => `records ${tenant(number)}`))
    })

    /** Refuses a call in which the projection has an operation on that record. */
    const refusing = (name: string, refused: string) => (work: Work, _position: Position) => {
      const found = work.some(
        ({ projection: one, steps }) =>
          one === name && steps.some(({ operations }) => operations.some((each) => each.key === refused)),
      )
      if (found) throw new Error('no such row')
    }
  })

  it('applies everything once and in order to each, and none runs ahead of what it needs, whatever is refused', async () => {
    const anyTrouble = fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('records', 'search', 'warehouse'),
        at: fc.integer({ min: 1, max: 12 }),
        by: fc.constantFrom('projection', 'store'),
      }),
      { maxLength: 5, selector: ({ name, at }) => `${name} ${at}` },
    )
    await fc.assert(
      fc.asyncProperty(anyTrouble, fc.constantFrom(1, 3, 100), async (wrong, batch) => {
        const streams = Array.from({ length: 12 }, (_, index) => tenant(index + 1))
        const log = await logOf(...streams)
        const mended = new Set<string>()
        const isWrong = (name: string, stream: string, by: string) =>
          wrong.some(
            (one) =>
              one.name === name &&
              one.by === by &&
              tenant(one.at) === stream &&
              !mended.has(`${name} ${one.at}`),
          )
        const ahead: Position[] = []
        const models = memoryProjectionStore()
        models.onApply((work) => {
          for (const { projection: name, steps } of work)
            for (const { operations } of steps)
              if (operations.some((one) => isWrong(name, one.key, 'store'))) throw new Error('no such row')
        })
        const understanding = (name: string, needs: readonly string[] = []) =>
          projection(name, needs, (stream) => isWrong(name, stream, 'projection'))
        const { of, resume, status, stop } = await follow({
          log,
          models,
          batch,
          projections: [
            understanding('records'),
            understanding('search', ['records']),
            understanding('warehouse'),
          ],
          onStatus: ([records, search]) => {
            if (search!.position > records!.position) ahead.push(search!.position)
          },
        })
        for (;;) {
          await quiet()
          const parked = status().filter(({ state }) => state === 'parked')
          if (parked.length === 0) break
          for (const { name, error } of parked) {
            mended.add(`${name} ${error!.position}`)
            resume(name)
          }
        }
        await stop()
        expect(ahead, 'search ahead of records').to.deep.equal([])
        for (const name of ['records', 'search', 'warehouse'])
          expect(of(name)).to.deep.equal(streams.map((stream) => `${name} ${stream}`))
      }),
      { numRuns: 60 },
    )
  })
})
