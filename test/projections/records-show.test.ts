/** What deliveries wait for: reads of records, and not of what is parked beside them. */
import { expect } from 'chai'
import { recordsShow } from '../../src/projections/records-show.ts'

describe('reads show an event', () => {
  const readModels = (records: number, search: number) => ({
    reached: async (position: number) => Math.min(records, search) >= position,
    status: async () =>
      [
        { name: 'records', position: records, state: 'live' },
        { name: 'search', position: search, state: 'parked' },
      ] as const,
  })

  it('when records have come as far, also while search is parked', async () =>
    expect(await recordsShow(readModels(7, 3), 7, 500)).to.equal(true))

  it('not before', async () => expect(await recordsShow(readModels(6, 8), 7, 500)).to.equal(false))
})
