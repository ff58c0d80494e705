/**
 * Writes changes of records, each only if its record is still as it was read.
 *
 * A record that the server refuses for what is in it must not hold up those of others: it is put aside, which means that it
 * is written without its words, so that it is shown and listed but not found by search, and that operators are shown it.
 */
import type { AnyBulkWriteOperation } from 'mongodb'
import type { Connection } from '../connection.ts'
import { isRefusedOrDuplicate, refusedAt } from '../domain-errors.ts'
import type { RecordChange } from './record-changes.ts'
import type { RecordDocument } from './record-document.ts'

export interface ChangesToWrite {
  readonly connection: Connection
  readonly changes: readonly RecordChange[]
  readonly onTrouble: (message: string, error: unknown) => void
}

/**
 * False when another process changed one of the records meanwhile: then what was read is to be read again.
 * @throws MongoServerError for a record that is refused without its words as well
 */
export async function writeChanges({ connection, changes, onTrouble }: ChangesToWrite): Promise<boolean> {
  let isWhole = true
  const aside = new Set<RecordChange>()
  for (const [object, ofObject] of Map.groupBy(changes, (change) => change.object)) {
    const records = connection.records(object)
    const write = async (some: readonly RecordChange[]): Promise<number> => {
      const { matchedCount, insertedCount } = await records
        .bulkWrite(some.map(operationOf), { ordered: false })
        .catch(async (error: unknown) => {
          const refused = refusedAt(error)
          if (!isRefusedOrDuplicate(error)) throw error
          // Refused without its words as well: that is the fault of its event.
          if (refused.some(({ index }) => some[index]!.after.isPutAside)) throw error
          let written = 0
          for (const { index, message } of refused) {
            const change = some[index]!
            onTrouble(`${change.after.key} is put aside: search does not find it.`, error)
            aside.add(change)
            await listPutAside(connection, change, message)
            written += await write([withoutWords(change)])
          }
          return { matchedCount: error.matchedCount + written, insertedCount: error.insertedCount }
        })
      return matchedCount + insertedCount
    }
    for (let start = 0; start < ofObject.length; start += connection.writesAtOnce) {
      const chunk = ofObject.slice(start, start + connection.writesAtOnce)
      isWhole = (await write(chunk)) === chunk.length && isWhole
    }
  }
  await unlist(
    connection,
    changes.filter((change) => !aside.has(change)),
  )
  return isWhole
}

function operationOf({ before, after }: RecordChange): AnyBulkWriteOperation<RecordDocument> {
  if (!before) return { insertOne: { document: after } }
  const { _id, ...replacement } = after
  return { replaceOne: { filter: { _id, revision: before.revision }, replacement } }
}

function withoutWords(change: RecordChange): RecordChange {
  return { ...change, after: { ...change.after, words: [], isPutAside: true } }
}

/** Before the record is written: what is listed and then dies is refused again by the process that goes on. */
async function listPutAside(
  { putAside, generation }: Connection,
  { object, after: { _id: record, company, key } }: RecordChange,
  message: string,
): Promise<void> {
  const _id = `${generation}/${record}`
  await putAside.replaceOne({ _id }, { generation, company, object, key, message }, { upsert: true })
}

/** Those that were put aside, and now have their words again or are deleted. */
async function unlist({ putAside, generation }: Connection, changes: readonly RecordChange[]): Promise<void> {
  const back = changes.filter(({ before, after }) => before?.isPutAside && !after.isPutAside)
  const ids = back.map(({ after }) => `${generation}/${after._id}`)
  if (ids.length > 0) await putAside.deleteMany({ _id: { $in: ids } })
}
