/** What the contract of the read side is run on: one store, written through one port and read through the other. */
import type { Definitions } from '../../../src/domain/definition.ts'
import type { ProjectionStore } from '../../../src/ports/projection-store.ts'
import type { ReadModels } from '../../../src/ports/read-models.ts'

export interface ReadSide {
  readonly readModels: ReadModels
  readonly store: ProjectionStore
  /** Closes both ports and opens the same data again, as a restart does. */
  reopen(): Promise<ReadSide>
  /** Closes both ports and forgets the data. */
  discard(): Promise<void>
}

/** A new, empty read side. `reached` and `status` speak of the projections `records` and `search`. */
export type OpenReadSide = (definitions: Definitions) => Promise<ReadSide>
