/** What every read side must do: both ports of one store, each proven through the other. Adapters run this; they never copy it. */
import { liveAndRebuiltContract } from './live-and-rebuilt.ts'
import { projectionStoreContract } from './projection-store.ts'
import { readModelsContract } from './read-models.ts'
import type { OpenReadSide } from './read-side/side.ts'

export function readSideContract(open: OpenReadSide): void {
  describe('as a projection store', () => projectionStoreContract(open))
  describe('as read models', () => readModelsContract(open))
  describe('live and rebuilt', () => liveAndRebuiltContract(open))
}
