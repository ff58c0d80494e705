/** Writes drafts of records, each only if its record is still as it was read. */
import type { AnyBulkWriteOperation } from 'mongodb'
import type { Connection } from '../connection.ts'
import { isDuplicate } from '../domain-errors.ts'
import type { Draft } from './drafts.ts'
import type { RecordDocument } from './record-document.ts'

/** Replacements of one command. FerretDB holds one of its 100 connections for each until the command ends. */
const CHUNK = 50

/** False when another process changed one of the records meanwhile: then what was read is to be read again. */
export async function writeDrafts(connection: Connection, drafts: readonly Draft[]): Promise<boolean> {
  const byObject = Map.groupBy(drafts, ({ object }) => object)
  let isWhole = true
  for (const [object, ofObject] of byObject) {
    const records = connection.records(object)
    for (let start = 0; start < ofObject.length; start += CHUNK) {
      const chunk = ofObject.slice(start, start + CHUNK)
      try {
        const result = await records.bulkWrite(chunk.map(operationOf), { ordered: false })
        isWhole &&= result.matchedCount + result.insertedCount === chunk.length
      } catch (error) {
        if (!isDuplicate(error)) throw error
        isWhole = false
      }
    }
  }
  return isWhole
}

function operationOf({ before, after }: Draft): AnyBulkWriteOperation<RecordDocument> {
  if (!before) return { insertOne: { document: after } }
  const { _id, ...replacement } = after
  return { replaceOne: { filter: { _id, revision: before.revision }, replacement } }
}
