/**
 * How far each company has come, with the ordinal of its last event. A company's document is moved when all of its rows are
 * written: what it covers need not be written again, and so its ordinals need not be known again either.
 *
 * A writer that lost its lease may move one late, with rows behind it that are right. After rows were removed it must not:
 * documents of an earlier epoch count for nothing.
 */
import type { Collection } from 'mongodb'
import type { Company, Position } from '../../../domain/events/event.ts'
import type { Reached } from '../../../domain/warehouse/ordinals.ts'
import { isDuplicate } from '../domain-errors.ts'

export interface OrdinalDocument {
  /** `<epoch> <company>` */
  readonly _id: string
  readonly epoch: number
  readonly position: Position
  readonly ordinal: number
}

export async function readReached(
  ordinals: Collection<OrdinalDocument>,
  epoch: number,
  companies: readonly Company[],
): Promise<Map<Company, Reached>> {
  const found = await ordinals.find({ _id: { $in: companies.map((one) => idOf(epoch, one)) } }).toArray()
  return new Map(
    found.map(({ _id, position, ordinal }) => [_id.slice(_id.indexOf(' ') + 1), { position, ordinal }]),
  )
}

export async function moveReached(
  ordinals: Collection<OrdinalDocument>,
  epoch: number,
  reached: ReadonlyMap<Company, Reached>,
  atOnce: number,
): Promise<void> {
  const moves = [...reached].map(([company, { position, ordinal }]) => ({
    updateOne: {
      filter: { _id: idOf(epoch, company), position: { $lt: position } },
      update: { $set: { epoch, position, ordinal } },
      upsert: true,
    },
  }))
  for (let at = 0; at < moves.length; at += atOnce)
    await ordinals.bulkWrite(moves.slice(at, at + atOnce), { ordered: false }).catch((error: unknown) => {
      // It has come further already.
      if (!isDuplicate(error)) throw error
    })
}

export async function forgetOthers(ordinals: Collection<OrdinalDocument>, epoch: number): Promise<void> {
  await ordinals.deleteMany({ epoch: { $ne: epoch } })
}

const idOf = (epoch: number, company: Company): string => `${epoch} ${company}`
