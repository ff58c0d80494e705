/** The catalogue by which a process writes, and whether it is still the one of the warehouse. */
import { Unavailable } from '../../../domain/errors.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import type { Folding } from '../../../domain/warehouse/fold.ts'
import type { State } from './state.ts'

export interface Known {
  readonly catalogue: Catalogue
  /** As it is stored. */
  readonly text: string
  readonly folding: Folding
}

/** Another process writes by definitions that are not this one's: nothing is lost by it, but nothing is written by this one. */
export class OtherDefinitions extends Unavailable {
  constructor() {
    super('a process with other definitions, which was started later, writes the warehouse')
  }
}

/**
 * Rows by an older catalogue would lack what newer definitions have: of several processes, the one that was started last
 * writes. @throws OtherDefinitions in the others
 */
export function requireOwnCatalogue({ catalogueText }: State, { text }: Known): void {
  if (catalogueText !== text) throw new OtherDefinitions()
}
