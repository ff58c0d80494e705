/** A bound on how long is waited for something that may never be told. */
import { Unavailable } from './errors.ts'

/**
 * What `work` settles with; the work itself goes on unheard when it is late.
 * @throws Unavailable with these words, or what is given in place of them, when the work takes longer than `ms`
 */
export async function boundedWait<T>(
  ms: number,
  work: Promise<T>,
  tooLate: string | (() => Error),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(typeof tooLate === 'string' ? new Unavailable(tooLate) : tooLate()), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
