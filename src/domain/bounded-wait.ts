/** Bounds how long a caller waits for work that may never end. */
import { Unavailable } from './errors.ts'

/**
 * Settles as `work` does; work that is late goes on, and its outcome is ignored.
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
