/** Records as they were, remembered for one who goes through the events. */
import { expect } from 'chai'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import { statesAsOf } from '../../src/webhooks/states-as-of.ts'
import { newEvent } from '../support/events.ts'

const KEY = 'tenant-01hzy8v1q4n7k2m5p8r1t4w7z0'
const created = (company: string, Name: string, position: number): RecordedEvent => ({
  ...newEvent({ company, type: 'tenant.created', data: { Name } }),
  stream: KEY,
  version: 1,
  position,
})

describe('records as they were', () => {
  it('are those of their company, whatever their Keys', async () => {
    const states = statesAsOf({ read: async () => [] })
    const [one, other] = [created('one', 'Ada', 1), created('other', 'Bob', 2)]
    for (const event of [one, other]) {
      states.pass(event)
      expect((await states.after(event)).fields).to.deep.equal(event.data)
    }
    expect((await states.at('one', KEY, 2)).fields).to.deep.equal({ Name: 'Ada' })
    expect((await states.at('third', KEY, 2)).status).to.equal('absent')
  })
})
