/** Operators' words to the warehouse thread. What comes of them is seen in the status. */
import { Conflict } from '../../../domain/errors.ts'
import type { ProjectionControl } from '../../../ports/projection-control.ts'
import type { WarehouseLink } from './link.ts'

export function warehouseControl(
  link: Pick<WarehouseLink, 'status' | 'rebuild' | 'resume'>,
): ProjectionControl {
  return {
    status: async () => link.status(),
    async rebuild(projection) {
      if (link.status().some(({ state }) => state === 'rebuilding'))
        throw new Conflict(`${projection} is being rebuilt already`)
      link.rebuild()
    },
    resume: async () => link.resume(),
  }
}
