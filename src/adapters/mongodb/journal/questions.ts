/**
 * What every question to the journal goes through: the time that it has, and which documents count.
 *
 * The process that writes may begin again at any time, and then removes what was there. So a question is asked of what was
 * written in one epoch, up to the position that was reached before it was asked, and its answer counts only if that epoch
 * has not ended meanwhile. Less than there is, is never an answer.
 */
import type { Filter, FindOptions } from 'mongodb'
import { Invalid, NotYet } from '../../../domain/errors.ts'
import type { Position } from '../../../domain/events/event.ts'
import { journalTooLong } from '../../../ports/journal.ts'
import { asDomainError, OutOfTime } from '../domain-errors.ts'
import { timeLimit } from '../read-models/queries/time-limit.ts'
import { journalCollections, readState, type JournalDocument, type JournalState } from './documents.ts'

/** Finds documents of one question. */
export interface Asked {
  /** Nothing beyond is an answer: it may not be whole yet. */
  readonly reached: Position
  found(filter: Filter<JournalDocument>, options: FindOptions): Promise<JournalDocument[]>
  counted(filter: Filter<JournalDocument>): Promise<number>
}

export interface Questions {
  /** How far the journal has come. */
  look(): Promise<JournalState>
  /**
   * @param needed how far the journal must have come for the answer
   * @throws NotYet when it has not, because it is written again
   * @throws Invalid when it takes longer than `limitMs`
   */
  ask<T>(limitMs: number, needed: Position, question: (asked: Asked) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A question is asked again, once, when what it was asked of was removed meanwhile. */
const TRIES = 2

export function questions(url: string): Questions {
  const collections = journalCollections(url)
  const { connection, journal } = collections
  let known: JournalState | undefined

  const look = async (): Promise<JournalState> => {
    await connection.ready()
    return (known = await readState(collections))
  }
  const atLeast = async (needed: Position): Promise<JournalState> => {
    const state = known && known.position >= needed ? known : await look()
    if (state.position < needed) throw writtenAgain()
    return state
  }
  const inTime = async <T>(limitMs: number, work: () => Promise<T>): Promise<T> => {
    try {
      await connection.ready()
      return await work()
    } catch (error) {
      const asKnown = asDomainError(error)
      throw asKnown instanceof OutOfTime || asKnown instanceof Invalid ? journalTooLong(limitMs) : asKnown
    }
  }

  return {
    look: () => inTime(0, look),
    ask: (limitMs, needed, question) =>
      inTime(limitMs, async () => {
        const limit = timeLimit(limitMs)
        for (let left = TRIES; left > 0; left--) {
          const { epoch, position: reached } = await atLeast(needed)
          const answer = await limit.within(
            question({
              reached,
              found: (filter, options) =>
                journal.find({ ...filter, epoch }, { ...options, ...limit.maxTime() }).toArray(),
              counted: (filter) => journal.countDocuments({ ...filter, epoch }, limit.maxTime()),
            }),
          )
          if ((await look()).epoch === epoch) return answer
        }
        throw writtenAgain()
      }),
    close: () => connection.close(),
  }
}

function writtenAgain(): NotYet {
  return new NotYet('the journal, from which this is read, is being written again')
}
