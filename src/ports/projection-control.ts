/**
 * What operators ask of projections: their state, to rebuild them, to resume them. Each engine has its own; together they are `GET /api/v1/projections`.
 */
import type { Company } from '../domain/events/event.ts'
import type { ProjectionStatus } from './read-models.ts'

/** A record that the projection does not show in whole, because the store refused it. */
export interface PutAside {
  readonly projection: string
  readonly object: string
  readonly key: string
  /** The store's reason. */
  readonly message: string
}

export interface ProjectionControl {
  /** @throws Unavailable when where they are kept cannot be asked */
  status(): Promise<readonly ProjectionStatus[]>

  /**
   * Records of the company that were put aside, at most 100 of them; without this method there are none.
   * @throws Unavailable as above
   */
  putAside?(company: Company): Promise<readonly PutAside[]>

  /**
   * Asks for a rebuild of the projection from the first event. Resolves once it is under way: `status` says how far it has
   * come, and the previous generation is served until the new one is complete. Projections that share a read model are
   * rebuilt together.
   * @throws Conflict when it cannot begin now: it is being rebuilt already, or built for the first time
   */
  rebuild(projection: string): Promise<void>

  /** Lets a parked projection try its event again; nothing happens to one that is not parked. */
  resume(projection: string): Promise<void>
}
