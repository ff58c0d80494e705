/** The name of a generation: what its read models are built by (`src/domain/read-model-layout.ts`), and this adapter's layout. */
import { createHash } from 'node:crypto'
import type { Definitions } from '../../../domain/definition.ts'
import { readModelLayouts } from '../../../domain/read-model-layout.ts'

/** Raise with every change of documents or their shadow values. */
const LAYOUT = 2

/** The name of the generation that the definitions give. */
export function generationOf(definitions: Definitions): string {
  return hashOf([...readModelLayouts(definitions).values()])
}

/** Of one object's layout, or of all. */
export function hashOf(layout: string | readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([LAYOUT, layout]))
    .digest('hex')
    .slice(0, 12)
}
