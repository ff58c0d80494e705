/** What the main thread and the warehouse thread say to each other. */
import type { Company } from '../../../domain/events/event.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'

export type ToWarehouse =
  /** The event file has grown. */
  | { readonly kind: 'grown' }
  /** Make the company's file, if it is not there. */
  | { readonly kind: 'ensure'; readonly request: number; readonly company: Company }
  /** Rebuild everything, beside what is there. */
  | { readonly kind: 'rebuild' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'close' }

export type FromWarehouse =
  | { readonly kind: 'open'; readonly catalogue: Catalogue }
  | { readonly kind: 'projected'; readonly statuses: readonly ProjectionStatus[] }
  /** A request is done; `error`: it is not, and why. */
  | { readonly kind: 'done'; readonly request: number; readonly error?: string }
  /** Worth a line in the log. */
  | { readonly kind: 'trouble'; readonly message: string; readonly detail: string }
  /** The disk can no longer be trusted. */
  | { readonly kind: 'fatal'; readonly message: string }
