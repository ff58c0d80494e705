/** A process that may not write the warehouse any more, because one with other definitions does: what it says of itself. */
import type { ProjectionControl } from '../../../ports/projection-control.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import type { Check } from '../../../ports/readiness.ts'

const SUPERSEDED =
  'A process with other definitions, which was started later, writes the warehouse. Start this one again with those.'

export const supersededCheck = (isSuperseded: boolean): Check => ({
  name: 'warehouse writer',
  down: isSuperseded ? SUPERSEDED : undefined,
  required: false,
})

/** Shows the projection as stopped, in the process that may not write any more. */
export function unlessSuperseded(control: ProjectionControl, isSuperseded: () => boolean): ProjectionControl {
  return {
    ...control,
    async status() {
      const statuses = await control.status()
      if (!isSuperseded()) return statuses
      return statuses.map(({ name, position }): ProjectionStatus => {
        return { name, position, state: 'parked', error: { position, message: SUPERSEDED, isPublic: true } }
      })
    },
  }
}
