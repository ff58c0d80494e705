/** What every read side must do: both ports of one store, each proven through the other. Adapters run this; they never copy it. */
import { liveAndRebuiltContract } from './live-and-rebuilt.ts'
import { projectionStoreContract } from './projection-store.ts'
import { readModelsContract } from './read-models.ts'
import type { OpenReadSide } from './read-side/side.ts'

/** @param share how many of the random queries are asked: 1 for all, less for an engine that takes long */
export function readSideContract(open: OpenReadSide, share = 1): void {
  describe('as a projection store', () => projectionStoreContract(open))
  describe('as read models', () => readModelsContract(open, share))
  describe('live and rebuilt', () => liveAndRebuiltContract(open))
}
