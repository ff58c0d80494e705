/** Answers of EventStoreDB are decoded as the package's own messages decode them. */
import { createRequire } from 'node:module'
import { expect } from 'chai'
import fc from 'fast-check'
import { decodeAnswer } from '../../../src/adapters/eventstoredb/read-answers.ts'
import { shared, streams } from '../../peers/eventstoredb/generated.ts'
import * as messages from '../../peers/eventstoredb/messages.ts'

interface Converted {
  readonly event: Record<'id' | 'streamId' | 'type' | 'data' | 'metadata' | 'isJson', unknown> & {
    readonly revision: bigint
    readonly position: { readonly commit: bigint; readonly prepare: bigint }
  }
}
const fromClient = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'))
const { convertGrpcEvent } = fromClient('./utils/convertGrpcEvent.js') as {
  convertGrpcEvent(event: unknown): Converted
}

describe('an answer of EventStoreDB', () => {
  const event = fc.record({
    id: fc.uuid(),
    stream: fc.string({ minLength: 1 }),
    type: fc.string({ minLength: 1, unit: 'grapheme' }),
    revision: fc.nat(Number.MAX_SAFE_INTEGER),
    position: fc.nat(Number.MAX_SAFE_INTEGER),
    data: fc.dictionary(fc.string(), fc.string({ unit: 'grapheme', maxLength: 300 })),
    metadata: fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })),
    contentType: fc.constantFrom('application/json', 'application/octet-stream'),
    structured: fc.boolean(),
  })

  it('that is an event has the fields that the package reads', () => {
    fc.assert(
      fc.property(event, ({ structured, data, metadata, ...given }) => {
        const answer = messages.eventAnswer({
          ...given,
          ...{ size: 0, created: 1_700_000_000_000 },
          ...{ data: Buffer.from(JSON.stringify(data)), metadata: Buffer.from(JSON.stringify(metadata)) },
        })
        const plain = streams.ReadResp.deserializeBinary(answer.serializeBinary())
        if (structured) {
          const halves = given.id
            .replaceAll('-', '')
            .match(/.{16}/g)!
            .map((hex) => BigInt.asIntN(64, BigInt(`0x${hex}`)))
          const parts = new shared.UUID.Structured().setMostSignificantBits(String(halves[0]))
          parts.setLeastSignificantBits(String(halves[1]))
          answer.getEvent()!.getEvent()!.setId(new shared.UUID().setStructured(parts))
        }
        const bytes = Buffer.from(answer.serializeBinary())
        const decoded = decodeAnswer(bytes)
        if (decoded.kind !== 'event') throw new Error('not an event')
        const { event } = convertGrpcEvent(plain.getEvent())
        const { data: text, metadata: metadataText, ...rest } = decoded.event
        expect(rest).to.deep.equal({
          // The package does not read every id in halves.
          ...{
            id: structured ? given.id : event.id,
            stream: event.streamId,
            type: event.type,
            isJson: event.isJson,
          },
          revision: Number(event.revision),
          position: { commit: Number(event.position.commit), prepare: Number(event.position.prepare) },
        })
        expect([text, metadataText]).to.deep.equal([JSON.stringify(data), JSON.stringify(metadata)])
      }),
    )
  })

  it('that is no event is told apart', () => {
    const decoded = [
      messages.confirmation(),
      messages.checkpoint(500, 0),
      messages.streamNotFound('gone'),
      messages.caughtUp(),
    ].map((answer) => decodeAnswer(Buffer.from(answer.serializeBinary())))
    expect(decoded).to.deep.equal([
      { kind: 'confirmed' },
      { kind: 'checkpoint', position: { commit: 500, prepare: 0 } },
      { kind: 'missing' },
      { kind: 'other' },
    ])
  })

  it('that is cut short is refused', () => {
    const bytes = Buffer.from(messages.checkpoint(500, 500).serializeBinary())
    expect(() => decodeAnswer(bytes.subarray(0, bytes.length - 1))).to.throw(RangeError)
  })
})
