/** What the service and its query processes say to each other. */

export interface QueryJob {
  readonly path: string
  readonly sql: string
  readonly readable: { readonly [table: string]: readonly string[] }
  readonly limits: QueryLimits
}

export interface QueryLimits {
  readonly milliseconds: number
  readonly rows: number
  /** Of the answer, as JSON text. */
  readonly characters: number
  /** Of the process, beside what it needs to be there. */
  readonly memoryBytes: number
}

export type QueryOutcome =
  | { readonly json: Uint8Array }
  /** Why the file could not be read. */
  | { readonly unavailable: string }
  /** What is wrong with the statement; `table`: it reads this one, and may not. */
  | { readonly fault: string; readonly table?: string }
