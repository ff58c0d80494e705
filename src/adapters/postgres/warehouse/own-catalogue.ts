/** The catalogue by which a process writes, and whether it is still the one of the warehouse. */
import { createHash } from 'node:crypto'
import { Unavailable } from '../../../domain/errors.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import type { Folding } from '../../../domain/warehouse/fold.ts'
import type { Client } from '../connection.ts'
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

/** Whether `requireOwnCatalogue` would throw, without reading the other catalogue. */
export function isSuperseded({ text }: Known): (client: Client) => Promise<boolean> {
  const hash = createHash('md5').update(text).digest('hex')
  const other = `SELECT FROM wh_state.state WHERE place = 'public' AND md5(catalogue) <> $1`
  return async (client) => (await client.query(other, [hash])).rowCount === 1
}
