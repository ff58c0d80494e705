/**
 * Generations: what the read models were built by, and the collections that hold them.
 *
 * A generation is named by the layouts of all objects (`src/domain/read-model-layout.ts`), and each of its collections by
 * that of one object. When definitions change, the next process makes a new generation: it takes over the collections of
 * objects that did not change, which old processes go on reading and writing, and builds those of the others from the
 * events beside the old ones. A rebuild is a generation that takes over nothing.
 *
 * A generation is removed when nobody writes it, nobody reads it, and the own one has come at least as far, or is there in its
 * place because it is of another log.
 */
import { randomUUID } from 'node:crypto'
import type { Definitions } from '../../../domain/definition.ts'
import type { Position } from '../../../domain/events/event.ts'
import { readModelLayouts } from '../../../domain/read-model-layout.ts'
import type { LastEvent } from '../../../ports/projection-store.ts'
import type { CollectionOfObject, FanOutDocument, PositionsDocument } from '../bookkeeping.ts'
import type { Connection } from '../connection.ts'
import { isDuplicate } from '../domain-errors.ts'
import { lastsOf, partsOf, positionsOf } from '../sharing/whole.ts'
import { hashOf } from './generation-of.ts'

type Collections = PositionsDocument['collections']

/** Of an object, while no other generation has it: a name that no collection ever had. */
const newName = (object: string) => `records_${object}_${randomUUID().slice(0, 13)}`

/** How far everything of a generation has come. */
async function reachedBy({ positions, shares }: Connection, _id: string): Promise<Position> {
  const reached = positionsOf(await partsOf(() => positions.findOne({ _id }), shares))
  return Math.min(...['records', 'search'].map((projection) => reached.get(projection) ?? 0))
}

/**
 * The collections of the own generation, which are chosen when it is opened for the first time. Nothing is read or written
 * in them before.
 */
export async function openGeneration(
  connection: Connection,
  definitions: Definitions,
  { isRebuild, replaces }: { readonly isRebuild: boolean; readonly replaces?: string | undefined },
): Promise<Collections> {
  const { generation, positions } = connection
  for (;;) {
    const there = await positions.findOne({ _id: generation })
    if (there?.collections) return there.collections
    // A checkpoint that a writer made who was asleep while its generation was removed.
    if (there) await positions.deleteOne({ _id: generation, collections: { $exists: false } })
    const all = await positions.find({ collections: { $exists: true } }).toArray()
    const ofAnotherLog = new Set(all.flatMap((one) => one.replaces ?? []))
    const others = isRebuild ? [] : all.filter(({ _id }) => !ofAnotherLog.has(_id))
    const reached = new Map<string, Position>()
    for (const { _id } of others) reached.set(_id, await reachedBy(connection, _id))
    const sources = new Set<string>()
    const collections: Record<string, CollectionOfObject> = {}
    for (const [object, text] of readModelLayouts(definitions)) {
      const layout = hashOf(text)
      const [source] = others
        .filter((one) => one.collections[object]?.layout === layout)
        .map((one) => ({ one, from: Math.max(reached.get(one._id)!, one.collections[object]!.from) }))
        .sort((a, b) => b.from - a.from)
      if (source) sources.add(source.one._id)
      const name = source?.one.collections[object]!.name ?? newName(object)
      collections[object] = { name, layout, from: source?.from ?? 0 }
    }
    const replaced = [...ofAnotherLog, ...(replaces === undefined ? [] : [replaces])]
    const opened = { _id: generation, term: 0, stamp: 0, positions: {}, collections, replaces: replaced }
    await positions.insertOne(opened).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error
    })
    // One that was removed in between may have taken its collections along; see `sweep`.
    const left = await positions.countDocuments({ _id: { $in: [...sources] } })
    if (left < sources.size) await positions.deleteOne({ _id: generation, term: 0 })
    else await takeOver(connection, [...sources], collections)
  }
}

/** What the other generations have still to do in the collections, and what was put aside there. */
async function takeOver(
  { database, generation, fanOuts, putAside }: Connection,
  sources: readonly string[],
  collections: Collections,
): Promise<void> {
  const from = Math.max(...Object.values(collections).map((one) => one.from))
  for (const source of sources) {
    for await (const { _id, ...renamed } of database.collection<FanOutDocument>(`fanouts_${source}`).find())
      await fanOuts.replaceOne({ _id }, { ...renamed, position: from, after: from }, { upsert: true })
    for await (const { _id: _, ...record } of putAside.find({ generation: source }))
      if (collections[record.object]?.from)
        await putAside.replaceOne(
          { _id: `${generation}/${record.company}/${record.key}` },
          { ...record, generation },
          { upsert: true },
        )
  }
}

/** The last events of the generation, and of those that write its collections too or have built them. */
export async function lastEventsOf({
  positions,
  shares,
  generation,
}: Pick<Connection, 'positions' | 'shares' | 'generation'>): Promise<readonly LastEvent[]> {
  const all = await positions.find().toArray()
  const namesOf = ({ collections }: PositionsDocument) => Object.values(collections ?? {}).map(nameOf)
  const own = new Set(all.filter(({ _id }) => _id === generation).flatMap(namesOf))
  const those = all.filter((one) => one._id === generation || namesOf(one).some((name) => own.has(name)))
  const ids = those.flatMap(({ given = [] }) => given.map(({ id }) => id))
  return lastsOf([...those, ...(ids.length > 0 ? await shares.find({ _id: { $in: ids } }).toArray() : [])])
}

export interface OtherGenerations {
  /** Removes those that were left since the call before; `reached` is how far the own generation has come. */
  sweep(reached: Position): Promise<void>
}

export function otherGenerations(connection: Connection): OtherGenerations {
  const { database, generation, leases, positions, shares, states, readers, putAside } = connection
  /** Of writers and readers, as they were at the sweep before. */
  let beats: ReadonlyMap<string, string> = new Map()

  const remove = async (_id: string) => {
    // The document first: who takes over collections looks whether it is still there.
    for (const documents of [positions, states, leases]) await documents.deleteOne({ _id })
    await putAside.deleteMany({ generation: _id })
    await shares.deleteMany({ generation: _id })
  }

  const dropUnused = async () => {
    const names = (await database.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
    const left = await positions.find().toArray()
    const used = new Set(left.flatMap(({ collections }) => Object.values(collections ?? {}).map(nameOf)))
    for (const name of names.filter((one) => /^(records|fanouts)_/.test(one)))
      if (!used.has(name) && !left.some(({ _id }) => name.endsWith(`_${_id}`)))
        await database.dropCollection(name)
  }

  return {
    async sweep(reached) {
      const before = beats
      const others = await positions.find({ _id: { $ne: generation } }).toArray()
      const reading = await readers.find().toArray()
      const writing = await leases.find({ _id: { $in: others.map(({ _id }) => _id) } }).toArray()
      const now = new Map([
        ...others.map(({ _id }) => [_id, 'none'] as const),
        ...writing.map(({ _id, term, beat }) => [_id, `${term} ${beat}`] as const),
        ...reading.map(({ _id, beat }) => [_id, String(beat)] as const),
      ])
      beats = now
      const isLeft = (_id: string) => before.get(_id) === now.get(_id)
      const gone = reading.filter(({ _id }) => isLeft(_id)).map(({ _id }) => _id)
      if (gone.length > 0) await readers.deleteMany({ _id: { $in: gone } })
      const replaced = new Set((await positions.findOne({ _id: generation }))?.replaces)
      const isRead = (id: string) => reading.some((one) => one.generation === id && !isLeft(one._id))
      const given = await shares.find({ generation: { $in: others.map(({ _id }) => _id) } }).toArray()
      const furthest = ({ _id, positions: own }: PositionsDocument) =>
        [own, ...given.filter((one) => one.generation === _id).map((one) => one.positions)]
          .flatMap((of) => Object.values(of))
          .reduce((most, position) => Math.max(most, position), 0)
      for (const other of others)
        if (
          isLeft(other._id) &&
          !isRead(other._id) &&
          (replaced.has(other._id) || reached >= furthest(other))
        )
          await remove(other._id)
      await dropUnused()
    },
  }
}

const nameOf = ({ name }: CollectionOfObject): string => name
