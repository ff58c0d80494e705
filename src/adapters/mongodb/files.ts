/**
 * Files in MongoDB: what there is in `files`, the bytes in pieces in `file_pieces`. A file is there once its document is, which
 * comes last. Plain documents, found by `_id` alone: every server that speaks the protocol can keep them.
 */
import { randomUUID } from 'node:crypto'
import type { Collection } from 'mongodb'
import type { Files } from '../../ports/files.ts'
import { askingOf } from './asking.ts'
import { connect } from './connection.ts'
import { isDuplicate } from './domain-errors.ts'
import { filePieces } from './file-pieces.ts'

interface FileDocument {
  /** `<company> <sha256>`; while it is being kept `begun <upload>`. */
  readonly _id: string
  /** Names the pieces. */
  readonly upload: string
  readonly bytes: number
  readonly at: Date
}

/** What was begun longer ago than this is not finished any more. */
const BEGUN_MS = 24 * 3_600_000

export function mongoFiles({ url }: { readonly url: string }): Files {
  const connection = connect({ url, definitions: new Map(), silenceMs: 10_000 })
  const files: Collection<FileDocument> = connection.database.collection('files')
  const asking = askingOf(connection)
  const pieces = filePieces(connection.database.collection('file_pieces'), asking)
  const nameOf = (company: string, sha256: string) => `${company} ${sha256}`
  const begunAs = (upload: string) => `begun ${upload}`

  /** Clears away what processes that died have begun. */
  const sweep = async () => {
    const old = { _id: { $gte: 'begun ', $lt: 'begun!' }, at: { $lt: new Date(Date.now() - BEGUN_MS) } }
    for (const { _id, upload } of await files.find(old).limit(10).toArray()) {
      await pieces.removeBegun(upload)
      await files.deleteOne({ _id })
    }
  }

  return {
    async put(company, bytes, most) {
      const upload = randomUUID()
      await asking(async () => {
        await sweep()
        await files.insertOne({ _id: begunAs(upload), upload, bytes: 0, at: new Date() })
      })
      const kept = await pieces.write(upload, bytes, most)
      return asking(async () => {
        try {
          await files.insertOne({
            _id: nameOf(company, kept.sha256),
            upload,
            bytes: kept.bytes,
            at: new Date(),
          })
        } catch (error) {
          if (!isDuplicate(error)) throw error
          await pieces.remove(upload, kept.bytes)
        }
        await files.deleteOne({ _id: begunAs(upload) })
        return kept
      })
    },
    async open(company, sha256, { start, end = Infinity } = { start: 0 }) {
      const found = await asking(() => files.findOne({ _id: nameOf(company, sha256) }))
      return found ? pieces.read(found.upload, start, Math.min(end, found.bytes)) : undefined
    },
    remove: (company, sha256) =>
      asking(async () => {
        const removed = await files.findOneAndDelete({ _id: nameOf(company, sha256) })
        if (removed) await pieces.remove(removed.upload, removed.bytes)
      }),
    close: () => connection.close(),
  }
}
