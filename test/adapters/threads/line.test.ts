/** A stream of bytes between two threads. */
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { expect } from 'chai'
import { Line } from '../../../src/adapters/threads/line.ts'

const PIECE = 65_536

describe('a line between threads', () => {
  let one: Line
  let other: Line
  beforeEach(() => {
    const { port1, port2 } = new MessageChannel()
    one = new Line(port1)
    other = new Line(port2, { remoteAddress: '192.0.2.1', remotePort: 7, encrypted: true })
    for (const line of [one, other]) line.on('error', () => {})
  })
  afterEach(() => {
    one.destroy()
    other.destroy()
  })

  const all = async (line: Line) => {
    const chunks: Buffer[] = []
    for await (const chunk of line) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }

  it('carries bytes both ways, in order and to the end, however large the pieces', async () => {
    const sent = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => (i * 7) % 251))
    const write = (line: Line) => {
      for (let at = 0, size = 1; at < sent.length; at += size, size = 1 + ((size * 3) % 200_000))
        line.write(sent.subarray(at, at + size))
      line.end()
    }
    const size = sent.length
    write(one)
    write(other)
    const [here, there] = await Promise.all([all(one), all(other)])
    expect([here.length, there.length]).to.deep.equal([size, size])
    expect([here.equals(sent), there.equals(sent)]).to.deep.equal([true, true])
  })

  it('knows whose connection it stands for', () => {
    const { remoteAddress, remotePort, encrypted } = other
    expect({ remoteAddress, remotePort, encrypted }).to.deep.equal({
      remoteAddress: '192.0.2.1',
      remotePort: 7,
      encrypted: true,
    })
  })

  it('takes no more than a bound from who sends to somebody who does not read, and goes on when they do', async () => {
    let written = 0
    const fill = () => {
      while (one.write(Buffer.alloc(PIECE))) written += PIECE
      written += PIECE
    }
    one.on('drain', fill)
    fill()
    for (let i = 0; i < 200; i++) await nextTurn()
    const held = written
    expect(held).to.be.below(2_000_000)
    const before = one.bytesWritten - one.writableLength
    for (let i = 0; i < 50; i++) await nextTurn()
    expect([written, one.bytesWritten - one.writableLength], 'nothing moves').to.deep.equal([held, before])
    other.on('data', () => {})
    while (written < 5_000_000) await nextTurn()
    one.removeListener('drain', fill)
  })

  it('shows that the other side gets rid of what it has taken, slow as that may be', async () => {
    const before = one.bytesWritten - one.writableLength
    other.moved()
    while (one.bytesWritten - one.writableLength === before) await nextTurn()
  })

  it('ends on both sides when one is destroyed', async () => {
    const closed = once(other, 'close')
    other.resume()
    one.destroy()
    await closed
    expect(other.destroyed).to.equal(true)
    // Says nothing to who has gone.
    other.moved()
  })
})
