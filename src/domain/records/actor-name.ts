/** How the name of a user, token or integration is shown where it did something. */
import { objectOfKey } from './key.ts'

/** @param name the field `Name` of its record; undefined where there is none */
export function shownActorName(actor: string, name: unknown): string {
  if (typeof name !== 'string' || name === '') return actor
  return objectOfKey(actor) === 'integration' ? `${name} (integration)` : name
}
