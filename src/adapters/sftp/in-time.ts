/** A server that has gone without a word answers nothing any more: every wait for it ends. */
import { Unavailable } from '../../domain/errors.ts'

/** @throws Unavailable saying so when it takes longer */
export async function inTime<T>(waited: Promise<T>, ms: number, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unavailable(message)), ms)
  })
  try {
    return await Promise.race([waited, late])
  } finally {
    clearTimeout(timer)
    waited.catch(() => {})
  }
}
