import { expect } from 'chai'
import fc from 'fast-check'
import { responseReader } from './response-reader.ts'

interface Sent {
  readonly status: number
  readonly body: string
}

const onTheWire = ({ status, body }: Sent) =>
  `HTTP/1.1 ${status} Some Words\r\nX-Other: 1\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** Reads the answers one after the other, each cut into pieces of these sizes. */
function read(sent: readonly Sent[], pieces: readonly number[], keepBodies: boolean): string[] {
  const seen: string[] = []
  const reader = responseReader({
    keepBodies,
    onResponse: ({ status, text }) => seen.push(`${status} ${text()}`),
  })
  let piece = 0
  for (const one of sent) {
    const bytes = Buffer.from(onTheWire(one))
    for (let at = 0; at < bytes.length;) {
      const size = pieces[piece++ % pieces.length]!
      reader.push(bytes.subarray(at, at + size))
      at += size
    }
  }
  return seen
}

describe('the reader of responses', () => {
  const sent = fc.record({
    status: fc.constantFrom(200, 201, 404, 500),
    body: fc.string({ unit: 'grapheme', maxLength: 300 }),
  })
  const pieces = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 10 })

  it('reads every answer whole, wherever it was cut', () => {
    fc.assert(
      fc.property(fc.array(sent, { maxLength: 5 }), pieces, (answers, sizes) => {
        const expected = answers.map((one) => `${one.status} ${onTheWire(one)}`)
        expect(read(answers, sizes, true)).to.deep.equal(expected)
      }),
    )
  })

  it('keeps the body of a failure even when bodies are not kept', () => {
    expect(read([{ status: 500, body: 'out of paper' }], [20], false)[0]).to.match(/^500 .*out of paper$/s)
    expect(read([{ status: 200, body: 'a record' }], [20], false)[0]).not.to.include('a record')
  })

  it('takes an answer that has no body by its status', () => {
    const seen: number[] = []
    const reader = responseReader({ keepBodies: false, onResponse: ({ status }) => seen.push(status) })
    reader.push(Buffer.from('HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'))
    expect(seen).to.deep.equal([304])
  })

  for (const [what, text] of [
    ['of unknown length', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['longer than announced', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc'],
  ] as const)
    it(`refuses an answer ${what}`, () => {
      const reader = responseReader({ keepBodies: false, onResponse: () => expect.fail('took it') })
      expect(() => reader.push(Buffer.from(text))).to.throw(Error)
    })
})
