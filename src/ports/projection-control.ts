/**
 * What operators ask of projections: their state, to rebuild them, to resume them. Each engine has its own; together they are `GET /api/v1/projections`.
 */
import type { ProjectionStatus } from './read-models.ts'

export interface ProjectionControl {
  /** @throws Unavailable when where they are kept cannot be asked */
  status(): Promise<readonly ProjectionStatus[]>

  /**
   * Asks for a rebuild of the projection from the first event. Resolves once it is under way: `status` says how far it has come, and the previous generation is served until the new one is complete. Projections that share a read model are
   * rebuilt together.
   * @throws Conflict when it cannot begin now: it is being rebuilt already, or built for the first time
   */
  rebuild(projection: string): Promise<void>

  /** Lets a parked projection try its event again; nothing happens to one that is not parked. */
  resume(projection: string): Promise<void>
}
