/**
 * All records of a list, page by page, as they were at one moment: what is created, changed or deleted meanwhile neither
 * shifts a page nor appears in one.
 */
import type { Transport, Query, Wishes } from './transport.ts'

export interface Pagination {
  readonly Page: number
  readonly PageSize: number
  readonly TotalRecords: number
  readonly TotalPages: number
}

export interface Page<T> {
  readonly Data: readonly T[]
  readonly Pagination: Pagination
}

/** The most that a page can hold. */
const PAGE_SIZE = 100

export interface Listed {
  readonly transport: Transport
  readonly path: string
  readonly query: Query
  readonly wishes: Wishes
  /** What is read: a moment, `now` (the present, which then stays as it is), or undefined: each page as it is when asked for. */
  readonly asOf: string | undefined
  /** Whether the route waits for what was written before: others do not know the parameter that asks for it. */
  readonly waits?: boolean
}

export class Listing<T> implements AsyncIterable<T> {
  readonly #listed: Listed

  constructor(listed: Listed) {
    this.#listed = listed
  }

  /** The pages, one request each. */
  async *pages(): AsyncGenerator<Page<T>> {
    const { transport, path, query, wishes, waits } = this.#listed
    let { asOf } = this.#listed
    for (let page = 1; ; page++) {
      const { body, headers } = await transport.json<Page<T>>({
        ...{ method: 'GET', path, ...(waits && { kind: 'seen' }), ...wishes },
        query: { pageSize: PAGE_SIZE, ...query, asOf, page },
      })
      if (asOf === 'now') asOf = `@${headers.get('Daybook-Position')}`
      yield body
      if (page >= body.Pagination.TotalPages) return
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const { Data } of this.pages()) yield* Data
  }

  /** @param limit at most that many: a list may be longer than memory */
  async toArray({ limit }: { readonly limit: number }): Promise<T[]> {
    const all: T[] = []
    if (limit > 0)
      for await (const record of this) {
        all.push(record)
        if (all.length >= limit) break
      }
    return all
  }
}
