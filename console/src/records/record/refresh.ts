/** Asks again for everything that shows a record which was changed. */
import type { QueryClient } from '@tanstack/react-query'

export async function refreshRecord(queries: QueryClient, object: string, key: string): Promise<void> {
  await Promise.all(
    [
      ['record', object, key],
      ['standing', object, key],
      ['history', object, key],
      ['records', object],
      ['waiting'],
    ].map((queryKey) => queries.invalidateQueries({ queryKey })),
  )
}
