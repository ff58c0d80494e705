/** Rows of packs: their streams begin with the row as its pack has it, whatever happens to them later. */
import { expect } from 'chai'
import { packData, packKeyOf, rowKeyOf } from '../../../src/domain/events/packs.ts'
import { VersionConflict } from '../../../src/ports/event-store.ts'
import { newKey } from '../../support/told-events.ts'
import { idsOf, rejection, type OpenedStore } from './opened-store.ts'

export function packedRowsContract(given: OpenedStore): void {
  describe('rows of packs', () => {
    const packed = async () => {
      const pack = packKeyOf(newKey('sensorreading'))
      const data = packData([{ Value: 1, Unit: 'm' }, undefined, { Value: 3 }])
      const event = given.event({ type: 'sensorreading.packed', data })
      const { position } = await given.appendTo(pack, event)
      return { pack, event, position, rowAt: (place: number) => rowKeyOf(pack, place) }
    }
    const change = () => given.event({ type: 'sensorreading.updated', data: { Value: 9 } })

    it('are there as the event that created them, each by its Key', async () => {
      const { event, position, rowAt } = await packed()
      const [row, ...more] = await given.store.read(given.company, rowAt(3))
      expect(more).to.be.empty
      expect(row).to.deep.include({ type: 'sensorreading.created', version: 1, position, data: { Value: 3 } })
      expect(row).to.deep.include({ stream: rowAt(3), metadata: event.metadata })
      expect(await given.store.last(given.company, rowAt(3))).to.deep.equal(row)
      for (const place of [2, 4, 500]) expect(await given.store.read(given.company, rowAt(place))).to.be.empty
      expect(await given.store.read('company-other', rowAt(1))).to.be.empty
      expect(await given.store.last('company-other', rowAt(1))).to.equal(undefined)
    })

    it('begin with version 2 what happens to them later', async () => {
      const { rowAt } = await packed()
      const [key, { company, store }] = [rowAt(1), given]
      const [first, second] = [change(), change()]
      const append = (expected: number, ...events: (typeof first)[]) =>
        store.append({ company, stream: key, expected, events })
      expect((await append(1, first)).version).to.equal(2)
      const again = await append(1, first)
      expect(again.version).to.equal(2)
      const conflict = await rejection(append(1, second))
      expect(conflict).to.be.instanceOf(VersionConflict).and.include({ expected: 1, actual: 2 })
      expect((await append(2, second)).version).to.equal(3)
      const all = await store.read(company, key)
      expect(all.map(({ version }) => version)).to.deep.equal([1, 2, 3])
      expect(all.map(({ data }) => data['Value'])).to.deep.equal([1, 9, 9])
      expect(idsOf(await store.read(company, key, 1))).to.deep.equal([first.id, second.id])
      expect(idsOf(await store.read(company, key, 2))).to.deep.equal([second.id])
      expect((await store.last(company, key))?.id).to.equal(second.id)
      await given.reopen()
      expect((await given.store.read(company, key)).map(({ version }) => version)).to.deep.equal([1, 2, 3])
    })

    it('are followed as the pack, and then by their own versions', async () => {
      const head = await given.store.head()
      const { pack, rowAt } = await packed()
      await given.store.append({ company: given.company, stream: rowAt(3), expected: 1, events: [change()] })
      const followed = await given.collect(head, 2)
      expect(followed.map(({ stream, version }) => [stream, version])).to.deep.equal([
        [pack, 1],
        [rowAt(3), 2],
      ])
    })
  })
}
