/** How adapters of MongoDB ask their server: once it has been reached, and with its errors as the ports name them. */
import type { Connection } from './connection.ts'
import { asDomainError } from './domain-errors.ts'

/** @throws what the ports name, such as Unavailable, in place of the driver’s errors */
export type Asking = <T>(ask: () => Promise<T>) => Promise<T>

export function askingOf(connection: Pick<Connection, 'ready'>): Asking {
  return async (ask) => {
    try {
      await connection.ready()
      return await ask()
    } catch (error) {
      throw asDomainError(error)
    }
  }
}
