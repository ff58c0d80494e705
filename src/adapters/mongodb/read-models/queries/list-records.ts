/** One page of a list: the records, in order, and how many match in all. */
import type { Document } from 'mongodb'
import { fieldOf, targetOf, type Definitions, type FieldDefinition } from '../../../../domain/definition.ts'
import { invalid } from '../../../../domain/errors.ts'
import type { Company } from '../../../../domain/events/event.ts'
import type { Fields } from '../../../../domain/json.ts'
import { hasWords, searchedText } from '../../../../domain/search/searched-text.ts'
import type { ListedRecord, ListQuery, Page, SortKey } from '../../../../ports/read-models.ts'
import { compileFilter, compileWords } from './compile-filter.ts'
import type { Connection } from '../../connection.ts'
import { keyLocation } from '../locations.ts'
import { documentId } from '../record-document.ts'
import { selectKeys } from './select-keys.ts'
import { isNear, sortedIds, sortLocation } from './sort-far.ts'
import type { TimeLimit } from './time-limit.ts'
import type { Totals } from './totals.ts'

export interface ListOf {
  readonly connection: Connection
  readonly definitions: Definitions
  readonly company: Company
  readonly query: ListQuery
  readonly time: TimeLimit
  readonly totals: Totals
  /** Of the checkpoint, now. */
  readonly stamp: () => Promise<number>
}

/** Records whose text is looked at for one search: what still makes a query of a bearable size. */
const MOST_LOOKED_AT = 20_000

/** What is read of each document. */
interface Found {
  readonly _id: string
  readonly key: string
  readonly version: number
  readonly json: string
  readonly values?: { readonly [lookup: string]: { readonly Id?: string } }
}

export async function listRecords(list: ListOf): Promise<Page> {
  const { query } = list
  const where = await seen(list, await conditions(list))
  const { found, total } = query.sort.every(isNear) ? await nearPage(list, where) : await farPage(list, where)
  return { records: await expanded(list, found), total }
}

async function conditions({ connection, company, query, time }: ListOf): Promise<Document> {
  const own: Document = { company: { $eq: company }, live: { $eq: true } }
  const filter = query.filter && (await compileFilter(query.filter, selectKeys(connection, company, time)))
  const terms = [...(filter ? [filter] : []), ...compileWords(query.words ?? [])]
  return terms.length === 0 ? own : { $and: [own, ...terms] }
}

/** Words were found in the text of all searchable fields: where only some of it may be searched, it is looked at. */
async function seen({ connection, definitions, query, time }: ListOf, where: Document): Promise<Document> {
  const { object, words, wordsIn } = query
  const definition = definitions.get(object)
  if (!words?.length || !wordsIn || !definition) return where
  const options = { projection: { json: 1 }, limit: MOST_LOOKED_AT + 1, batchSize: 1_000, ...time.maxTime() }
  const ids: string[] = []
  let looked = 0
  for await (const { _id, json } of connection.records(object).find(where, options)) {
    if (++looked > MOST_LOOKED_AT)
      throw invalid('search', `finds more than ${MOST_LOOKED_AT} records; narrow it`)
    if (hasWords(searchedText(definition, JSON.parse(json) as Fields, wordsIn), words)) ids.push(_id)
  }
  return { _id: { $in: ids } }
}

interface FoundPage {
  readonly found: readonly Found[]
  readonly total: number
}

async function nearPage(list: ListOf, where: Document): Promise<FoundPage> {
  const { connection, query, time, totals } = list
  const { object, offset, limit } = query
  const records = connection.records(object)
  const read = async (): Promise<Found[]> => {
    if (limit === 0) return [] // MongoDB takes 0 for no limit
    const options = { projection: projectionOf(list), sort: sortOf(query.sort), skip: offset, limit }
    return records.find<Found>(where, { ...options, batchSize: limit, ...time.maxTime() }).toArray()
  }
  const [found, stamp] = await Promise.all([read(), list.stamp()])
  const isLastPage = found.length < limit && (found.length > 0 || offset === 0)
  if (isLastPage) return { found, total: offset + found.length }
  const count = () => records.countDocuments(where, time.maxTime())
  return { found, total: await totals.of(`${object} ${JSON.stringify(where)}`, stamp, count) }
}

async function farPage(list: ListOf, where: Document): Promise<FoundPage> {
  const { connection, company, query, time } = list
  const { object, offset, limit, sort } = query
  const ids = await sortedIds({ connection, company, object, where, sort, time })
  const page = ids.slice(offset, offset + limit)
  const options = { projection: projectionOf(list), batchSize: page.length + 1, ...time.maxTime() }
  const documents = await connection
    .records(object)
    .find<Found>({ _id: { $in: page } }, options)
    .toArray()
  const byId = new Map(documents.map((document) => [document._id, document]))
  return {
    found: page.map((id) => byId.get(id)).filter((document) => document !== undefined),
    total: ids.length,
  }
}

function sortOf(sort: readonly SortKey[]): Record<string, 1 | -1> {
  const order: Record<string, 1 | -1> = {}
  for (const { path, descending } of sort) order[sortLocation(path)!] ??= descending ? -1 : 1
  return { ...order, n: sort[0]?.descending === false ? 1 : -1 }
}

function projectionOf({ definitions, query }: ListOf): Record<string, 1> {
  const lookups = query.expand.map((name) => [
    keyLocation(lookupOf(definitions, query.object, name)),
    1 as const,
  ])
  return { key: 1, version: 1, json: 1, ...(Object.fromEntries(lookups) as Record<string, 1>) }
}

/** Adds the records that the page's lookups point to: those of the company that are not deleted. */
async function expanded(list: ListOf, found: readonly Found[]): Promise<ListedRecord[]> {
  const { connection, definitions, company, query, time } = list
  const bare = found.map(({ key, version, json }) => ({ key, version, json }))
  if (query.expand.length === 0 || found.length === 0) return bare
  const targets = query.expand.map((name) => targetOf(definitions, lookupOf(definitions, query.object, name)))
  const full = new Map<string, string>()
  await Promise.all(
    [...new Set(targets)].map(async ({ object }) => {
      const names = query.expand.filter((_, index) => targets[index]!.object === object)
      const keys = found.flatMap(({ values }) => names.map((name) => values?.[name]?.Id))
      const ids = new Set(keys.filter((key) => key !== undefined).map((key) => documentId(company, key)))
      if (ids.size === 0) return
      const documents = connection
        .records(object)
        .find(
          { _id: { $in: [...ids] }, live: { $eq: true } },
          { projection: { key: 1, json: 1 }, batchSize: ids.size + 1, ...time.maxTime() },
        )
      for await (const { key, json } of documents) full.set(key, json)
    }),
  )
  return bare.map((record, index) => {
    const shown: Record<string, string> = {}
    for (const name of query.expand) {
      const json = full.get(found[index]?.values?.[name]?.Id ?? '')
      if (json !== undefined) shown[name] = json
    }
    return { ...record, expanded: shown }
  })
}

function lookupOf(definitions: Definitions, object: string, name: string): FieldDefinition {
  const definition = definitions.get(object)
  const field = definition && fieldOf(definition, name)
  if (field?.type !== 'lookup') throw new Error(`${object} has no lookup field ${name}`)
  return field
}
