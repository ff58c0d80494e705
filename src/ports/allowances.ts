/**
 * What rate limits ask of a place that all processes see, so that together they keep to one limit. Proven by
 * `test/contracts/allowances.ts`.
 *
 * What a client may do is counted in time: a request costs some milliseconds, and each millisecond that passes regains
 * one. So the place need not know any limit, and a debt that is regained is as good as none: it may be forgotten.
 */
export interface Spending {
  /** Who it is held against: the Key of a principal, an address. Up to 200 characters. */
  readonly key: string
  /** Milliseconds, more than 0. */
  readonly ms: number
}

export interface Allowances {
  /**
   * Adds to what each key owes, in one step whatever others add at this moment, and answers what each of them owes then,
   * in the order asked, in milliseconds. Each key is named once.
   * @throws Unavailable in about 2 s at the most when the place cannot be reached; some may then have been added
   */
  spend(spendings: readonly Spending[]): Promise<readonly number[]>

  close(): Promise<void>
}
