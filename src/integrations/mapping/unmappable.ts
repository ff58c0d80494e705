/** What cannot be mapped. */
import type { Json } from '../../domain/json.ts'

/** Why a payload cannot be mapped, for the person who repairs it. */
export class Unmappable extends Error {}

/** What it needs is not there yet. */
export class Awaited extends Error {
  /** What it waits for, as messages about it are called. */
  readonly subject: string
  constructor(message: string, subject: string) {
    super(message)
    this.subject = subject
  }
}

/** A value as it is shown in a reason: short. */
export function shown(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
