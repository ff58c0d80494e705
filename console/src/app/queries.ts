/** How answers are kept: shown at once when they are there, asked for again when they may be old. */
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/request.ts'

const MOST_RETRIES = 2

// What the service refuses it refuses again.
const retry = (failures: number, error: Error) =>
  failures < MOST_RETRIES && (!(error instanceof ApiError) || error.status >= 500)
const retryDelay = (failures: number) => 1_000 * 2 ** failures

export const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry, retryDelay },
    // Each try carries the same idempotency key.
    mutations: { retry, retryDelay },
  },
})
