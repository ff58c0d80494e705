/** The bytes of files in MongoDB: pieces of one size, found by upload and number. */
import { createHash } from 'node:crypto'
import type { Collection } from 'mongodb'
import { TooLarge } from '../../domain/errors.ts'

export interface PieceDocument {
  /** `<upload> <n>` */
  readonly _id: string
  readonly data: Uint8Array
}

const PIECE = 512 * 1024
const REMOVED_AT_ONCE = 200

export interface FilePieces {
  /** @throws TooLarge past `most` bytes; pieces may then have been written */
  write(
    upload: string,
    bytes: AsyncIterable<Uint8Array>,
    most: number,
  ): Promise<{ readonly sha256: string; readonly bytes: number }>
  read(upload: string, start: number, end: number): AsyncIterable<Uint8Array<ArrayBuffer>>
  /** Removes those of a file of that many bytes. */
  remove(upload: string, bytes: number): Promise<void>
  /** Removes those of an upload that was not finished. */
  removeBegun(upload: string): Promise<void>
}

/** @param asking connects first, and makes errors of the driver those of the domain */
export function filePieces(
  pieces: Collection<PieceDocument>,
  asking: <T>(ask: () => Promise<T>) => Promise<T>,
): FilePieces {
  const removeFrom = (upload: string, first: number, count: number) => {
    const some = Array.from({ length: count }, (_, i) => `${upload} ${first + i}`)
    return pieces.deleteMany({ _id: { $in: some } })
  }
  return {
    async write(upload, bytes, most) {
      const hash = createHash('sha256')
      let size = 0
      let count = 0
      for await (const data of inPieces(bytes)) {
        size += data.length
        if (size > most) throw new TooLarge(`the file is larger than ${most} bytes`)
        hash.update(data)
        await asking(() => pieces.insertOne({ _id: `${upload} ${count}`, data }))
        count++
      }
      return { sha256: hash.digest('hex'), bytes: size }
    },
    async *read(upload, start, end) {
      for (let at = start; at < end;) {
        const n = Math.floor(at / PIECE)
        const piece = await asking(() => pieces.findOne({ _id: `${upload} ${n}` }, { promoteBuffers: true }))
        if (!piece) throw new Error(`piece ${n} of a kept file is missing`)
        const data = Uint8Array.from(piece.data.subarray(at - n * PIECE, Math.min(PIECE, end - n * PIECE)))
        at += data.length
        yield data
      }
    },
    async remove(upload, bytes) {
      const count = Math.ceil(bytes / PIECE)
      for (let n = 0; n < count; n += REMOVED_AT_ONCE)
        await removeFrom(upload, n, Math.min(REMOVED_AT_ONCE, count - n))
    },
    async removeBegun(upload) {
      for (let n = 0; ; n += REMOVED_AT_ONCE)
        if ((await removeFrom(upload, n, REMOVED_AT_ONCE)).deletedCount === 0) return
    },
  }
}

/** The same bytes in pieces of one size; the last may be shorter. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  let size = 0
  for await (const part of bytes) {
    let rest = part
    while (size + rest.length >= PIECE) {
      const taken = PIECE - size
      yield Buffer.concat([...held, rest.subarray(0, taken)])
      rest = rest.subarray(taken)
      held = []
      size = 0
    }
    if (rest.length === 0) continue
    held.push(rest)
    size += rest.length
  }
  if (size > 0) yield Buffer.concat(held)
}
