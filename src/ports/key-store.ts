/**
 * Where keys of companies are kept, outside the event store, so that what they encrypt or name can be forgotten by
 * destroying them. Proven by `test/contracts/key-store.ts`.
 *
 * A key is kept as text that is sealed by the master key of secrets: a copy of this store alone opens nothing.
 */
import type { Company } from '../domain/events/event.ts'

export interface KeptKey {
  readonly company: Company
  readonly purpose: string
  readonly sealed: string
}

export interface KeyStore {
  /** The id of this store, made with it: a store that was lost and made again has another. */
  id(): Promise<string>

  find(company: Company, purpose: string): Promise<string | undefined>

  /** All keys, of all companies and purposes. */
  list(): Promise<readonly KeptKey[]>

  /** Keeps the key durably unless there is one already, and answers the one that is kept. */
  add(company: Company, purpose: string, sealed: string): Promise<string>

  /** Keeps `by` durably in place of each of these keys; where another is kept by now, that one stays. */
  replace(keys: readonly (KeptKey & { readonly by: string })[]): Promise<void>

  /** Destroys the keys, of all companies, of purposes that begin with `prefix` and sort before `before`. */
  destroy(prefix: string, before: string): Promise<void>

  close(): Promise<void>
}
