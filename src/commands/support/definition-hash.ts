/** A short name for exactly this definition: events say by it which rules judged them. */
import { createHash } from 'node:crypto'
import type { ObjectDefinition } from '../../domain/definition.ts'

const hashes = new WeakMap<ObjectDefinition, string>()

/** 12 hex digits of SHA-256 over the definition's JSON. */
export function definitionHash(definition: ObjectDefinition): string {
  let hash = hashes.get(definition)
  if (hash === undefined) {
    hash = createHash('sha256').update(JSON.stringify(definition)).digest('hex').slice(0, 12)
    hashes.set(definition, hash)
  }
  return hash
}
