/** How long a request waits to be told who asks: with the store gone it is refused soon, never let in. */
import { Unavailable } from '../domain/errors.ts'

export const STORE_TIMEOUT_MS = 2_000

/** @throws Unavailable when the work takes longer than `ms` */
export async function inTime<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Unavailable('who asks cannot be told now')), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
