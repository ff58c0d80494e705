/** Events of earlier shapes, brought to the newest; and those that nobody can read. */
import { expect } from 'chai'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import { readStored, requireUnderstood, SCHEMA, upcaster } from '../../../src/domain/events/upcast.ts'
import { newEvent } from '../../support/events.ts'

const event = (schema: number, data: RecordedEvent['data'] = {}): RecordedEvent => ({
  ...newEvent({ data, metadata: { schema: schema as 1 } }),
  ...{ stream: 'contract-1', version: 1, position: 1 },
})

describe('events of earlier shapes', () => {
  const upcast = upcaster(
    {
      1: (old) => ({ ...old, data: { ...old.data, Rent: old.data['Price'] ?? null } }),
      2: (old) => ({ ...old, data: { Rent: [old.data['Rent'] ?? null] } }),
    },
    3,
  )

  it('take every step from theirs to the newest, in order', () => {
    for (const [old, rent] of [
      [event(1, { Price: 7 }), [7]],
      [event(2, { Rent: 7 }), [7]],
      [event(3, { Rent: 7 }), 7],
    ] as const) {
      const now = upcast(old)
      expect([now.data, now.metadata.schema]).to.deep.equal([{ Rent: rent }, 3])
      expect({ ...now, data: old.data, metadata: old.metadata }, 'all else is as it was').to.deep.equal(old)
    }
  })

  it('stay what they are when they are of a later shape: who reads them refuses them', () => {
    const later = event(4, { Price: 7 })
    expect(upcast(later)).to.equal(later)
  })

  it('cannot be read without a step that leads on', () => {
    expect(() => upcast(event(0))).to.throw('no step leads on from shape 0')
  })
})

describe('what a store has', () => {
  const { id, type, stream, version, position, metadata } = event(SCHEMA)
  const rest = { id, type, stream, version, position }
  const stored = (parse: () => { data: unknown; metadata: unknown }) =>
    readStored({ ...rest, company: metadata.company, parse })

  it('is an event when it can be read', () => {
    const read = stored(() => ({ data: { Name: 'Ann' }, metadata }))
    expect(read).to.deep.equal({ ...rest, data: { Name: 'Ann' }, metadata })
    requireUnderstood(read)
  })

  it('is marked when it cannot: what goes on in order stops before it', () => {
    for (const [parse, reason] of [
      // Without what stands in it: an operator sees the reason, and no records.
      [() => ({ data: JSON.parse('{"Name": half') as unknown, metadata }), /^it is not valid JSON$/],
      [() => ({ data: [1], metadata }), /its data is no object/],
      [() => ({ data: null, metadata }), /its data is no object/],
      [() => ({ data: {}, metadata: 'text' }), /its metadata names no shape/],
      [() => ({ data: {}, metadata: { ...metadata, schema: '1' } }), /its metadata names no shape/],
      [() => ({ data: {}, metadata: { ...metadata, schema: 0 } }), /no step leads on from shape 0/],
    ] as const) {
      const read = stored(parse)
      expect(read.unreadable).to.match(reason)
      expect([read.data, read.metadata.company]).to.deep.equal([{}, metadata.company])
      expect(() => requireUnderstood(read)).to.throw('cannot be read')
    }
  })

  it('is refused when it is of a later shape', () => {
    const read = stored(() => ({ data: {}, metadata: { ...metadata, schema: SCHEMA + 1 } }))
    expect(read.unreadable).to.equal(undefined)
    expect(() => requireUnderstood(read)).to.throw(
      `has shape ${SCHEMA + 1}; this version reads up to ${SCHEMA}`,
    )
  })
})
