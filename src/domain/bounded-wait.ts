/** A bound on how long is waited for something that may never be told. */
import { Unavailable } from './errors.ts'

/**
 * What `work` settles with; the work itself goes on unheard when it is late.
 * @throws Unavailable with these words when the work takes longer than `ms`
 */
export async function boundedWait<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Unavailable(message)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
