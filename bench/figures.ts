/** What a run comes to: figures of load, and single facts such as the time of a start. */

export interface Figure {
  readonly name: string
  readonly title: string
  /** Contracts in the store when the run began. */
  readonly records: number
  readonly connections: number
  /** Requests, or rows where the title says so. */
  readonly perSecond: number
  /** In ms. */
  readonly p50: number
  readonly p99: number
  readonly errors: number
  /** The highest resident set of the service meanwhile, in MB. */
  readonly rss: number | undefined
  /** Share of what the bound reached in the same run. */
  readonly ofExpress?: number | undefined
  readonly ofHttp?: number | undefined
  readonly goal?: number | undefined
  /** Which of the engines it is of, where that is told. */
  readonly on?: string
  /** The same on the embedded engines in the same run, when this is another. */
  readonly embedded?: { readonly perSecond: number; readonly p50: number; readonly p99: number } | undefined
  /** What else has to be known to read the figure. */
  readonly notes: readonly string[]
}

export interface Fact {
  readonly name: string
  readonly title: string
  readonly value: number
  readonly unit: 's' | 'MB'
  /** At most this is aimed at. */
  readonly goal?: number | undefined
  readonly notes: readonly string[]
}

/** Requests a second of the bounds, by what they do. */
export interface Bounds {
  readonly http?: number
  readonly get?: number
  readonly create?: number
  readonly mixed?: number
}

export interface Results {
  readonly figures: Figure[]
  readonly facts: Fact[]
}
