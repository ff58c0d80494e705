/** What every place for files does. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { TooLarge } from '../../src/domain/errors.ts'
import type { ByteRange, Files } from '../../src/ports/files.ts'

const MOST = 10_000_000

/** @param open the same place again each time */
export function filesContract(open: () => Promise<Files>): void {
  let files: Files
  let company: string
  beforeEach(async () => {
    company = `company-${randomUUID()}`
    files = await open()
  })
  afterEach(() => files.close())

  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  const inParts = async function* (bytes: Uint8Array, size = 100_000) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const read = async (of: string, name: string, range?: ByteRange) => {
    const bytes = await files.open(of, name, range)
    if (!bytes) return undefined
    const parts: Uint8Array[] = []
    for await (const part of bytes) parts.push(part)
    return Buffer.concat(parts)
  }

  it('gives back what it was given, whole and in ranges, also when it is opened again', async () => {
    const bytes = randomBytes(2_300_000)
    const kept = await files.put(company, inParts(bytes), MOST)
    expect(kept).to.deep.equal({ sha256: sha256(bytes), bytes: bytes.length })
    await files.close()
    files = await open()
    expect((await read(company, kept.sha256))?.equals(bytes)).to.equal(true)
    for (const [start, end] of [
      [0, 1],
      [524_287, 524_290],
      [1_000_000, 2_300_000],
      [2_299_999, undefined],
      [2_300_000, undefined],
      [5, 5],
    ] as const) {
      const range = end === undefined ? { start } : { start, end }
      const part = await read(company, kept.sha256, range)
      expect(part?.equals(bytes.subarray(start, end)), `${start} to ${end}`).to.equal(true)
    }
  })

  it('keeps the same bytes once, and empty ones too', async () => {
    const bytes = Buffer.from('the same')
    const [one, other] = await Promise.all(
      [bytes, bytes].map((same) => files.put(company, inParts(same), MOST)),
    )
    expect(one).to.deep.equal(other)
    await files.remove(company, one!.sha256)
    expect(await read(company, one!.sha256)).to.equal(undefined)
    const empty = await files.put(company, inParts(Buffer.alloc(0)), MOST)
    expect((await read(company, empty.sha256))?.length).to.equal(0)
  })

  it('keeps nothing of what is too large, or ends early', async () => {
    const bytes = randomBytes(300_000)
    const refused = await files.put(company, inParts(bytes), 299_999).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(TooLarge)
    const cut = async function* () {
      yield bytes
      throw new Error('cut off')
    }
    const failed = await files.put(company, cut(), MOST).catch((error: unknown) => error)
    expect(failed).to.have.property('message', 'cut off')
    expect(await read(company, sha256(bytes))).to.equal(undefined)
    await files.put(company, inParts(bytes), 300_000)
    expect((await read(company, sha256(bytes)))?.length).to.equal(300_000)
  })

  it('keeps each company its own', async () => {
    const { sha256: name } = await files.put(company, inParts(Buffer.from('mine')), MOST)
    const other = `company-${randomUUID()}`
    expect(await read(other, name)).to.equal(undefined)
    await files.put(other, inParts(Buffer.from('mine')), MOST)
    await files.remove(other, name)
    expect(String(await read(company, name))).to.equal('mine')
    await files.remove(other, name)
    expect(await read(company, '../../etc/passwd')).to.equal(undefined)
    expect(await read('..', name)).to.equal(undefined)
  })
}
