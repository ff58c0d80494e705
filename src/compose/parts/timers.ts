/** Where timers are kept: in MongoDB, where several processes share them. */
import type { Config } from '../../config.ts'
import type { Timers } from '../../ports/timers.ts'

/** @param own of a process that shares them with no other */
export async function openTimers({ MONGODB_URL }: Pick<Config, 'MONGODB_URL'>, own: Timers): Promise<Timers> {
  if (MONGODB_URL === undefined) return own
  const { mongoTimers } = await import('../../adapters/mongodb/timers.ts')
  return mongoTimers({ url: MONGODB_URL })
}
