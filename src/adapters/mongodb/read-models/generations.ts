/**
 * Collections built by other definitions or by another version of this adapter: a generation of their own, which old
 * processes go on writing and reading while the new ones build theirs beside it.
 *
 * A generation is removed once nobody writes it any more and the new one has come at least as far.
 */
import type { Position } from '../../../domain/events/event.ts'
import { recordsName, type Connection } from '../connection.ts'

export interface OtherGenerations {
  /** Removes those that were left since the call before; `reached` is how far the own generation has come. */
  sweep(reached: Position): Promise<void>
}

export function otherGenerations(connection: Connection): OtherGenerations {
  const { database, generation, leases, positions, states } = connection
  const beats = new Map<string, string>()

  const remove = async (id: string) => {
    const names = await database.listCollections({}, { nameOnly: true }).toArray()
    for (const { name } of names)
      if (
        name === `fanouts_${id}` ||
        (name.startsWith('records_') && name.endsWith(recordsName('', id).slice(8)))
      )
        await database.dropCollection(name)
    for (const documents of [positions, states, leases]) await documents.deleteOne({ _id: id })
  }

  return {
    async sweep(reached) {
      const others = await positions.find({ _id: { $ne: generation } }).toArray()
      for (const { _id, positions: theirs } of others) {
        const lease = await leases.findOne({ _id })
        const beat = `${lease?.term} ${lease?.beat}`
        const isLeft = beats.get(_id) === beat
        beats.set(_id, beat)
        if (isLeft && reached >= Math.max(0, ...Object.values(theirs))) await remove(_id)
      }
    },
  }
}
