/**
 * Copies that are made when somebody asks: one at a time for each company, whoever asks. They are waited for within a bound,
 * and gone on with after it, for the next who asks.
 */
import { boundedWait } from '../../domain/bounded-wait.ts'
import { NotYet } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'

export interface CopiesInTime {
  /**
   * Resolves when the copy holds everything that there was at this call.
   * @throws NotYet while it is still being made, and what making it throws
   */
  ensure(company: Company): Promise<void>
  /** Resolves when none is being made. */
  settled(): Promise<void>
}

export interface CopiesInTimeOptions {
  readonly copy: (company: Company) => Promise<void>
  /** Longest that somebody waits. */
  readonly waitMs: number
}

export function copiesInTime({ copy, waitMs }: CopiesInTimeOptions): CopiesInTime {
  const underWay = new Map<Company, Promise<void>>()
  const ensure = async (company: Company) => {
    await underWay.get(company)?.catch(() => {}) // it may have looked before the caller's write
    let work = underWay.get(company)
    if (!work) {
      work = copy(company).finally(() => underWay.delete(company))
      underWay.set(company, work)
    }
    await work
  }
  return {
    ensure: (company) =>
      boundedWait(waitMs, ensure(company), () => new NotYet('the copy of the warehouse is being made')),
    async settled() {
      while (underWay.size > 0) await Promise.allSettled(underWay.values())
    },
  }
}
