/** What cannot be mapped. */
import type { Json } from '../../domain/json.ts'

/** Why a payload cannot be mapped, for the person who repairs it. */
export class Unmappable extends Error {}

/** A value as it is shown in a reason: short. */
export function shown(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
