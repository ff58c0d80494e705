/** What a command is. */
import type { Daybook } from '../daybook.ts'

/** The command was not written as it should be. */
export class Usage extends Error {}

/** What parseArgs reads: every option of every command. */
export const OPTIONS = {
  url: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  'dry-run': { type: 'boolean' },
  filter: { type: 'string' },
  search: { type: 'string' },
  sort: { type: 'string' },
  fields: { type: 'string' },
  limit: { type: 'string' },
  reason: { type: 'string' },
  'if-match': { type: 'string' },
  'as-of': { type: 'string' },
  format: { type: 'string' },
  mode: { type: 'string' },
  mapping: { type: 'string' },
  profile: { type: 'string' },
  commit: { type: 'boolean' },
  again: { type: 'boolean' },
  port: { type: 'string' },
  secret: { type: 'string' },
  notifications: { type: 'string' },
} as const

export type Options = {
  readonly [Name in keyof typeof OPTIONS]?:
    ((typeof OPTIONS)[Name]['type'] extends 'string' ? string : boolean) | undefined
}

/** What a command works with. */
export interface Desk {
  readonly url: string
  readonly daybook: Daybook
  /** A client for another address, or with another token. */
  connect(other: { readonly url?: string; readonly token?: string }): Daybook
  /** The exit code will be 1, although there is an answer. */
  fail(): void
}

export interface Command {
  readonly usage: string
  readonly about: string
  /** Whether `--dry-run` is for it. */
  readonly dry?: boolean
  /** Text and responses are written as they are; other answers as a table or as JSON. */
  run(desk: Desk, given: readonly string[], options: Options): unknown
}

export type Commands = { readonly [name: string]: Command }

/** Without members that were left out. */
type Said<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** What was left out is not sent. */
export function said<T extends object>(values: T): Said<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Said<T>
}

/** @throws Usage where it was left out */
export function needed(given: string | undefined, what: string): string {
  if (given === undefined) throw new Usage(`${what} is needed`)
  return given
}

/** @throws Usage for what is not one of them */
export function oneOf<T extends string>(given: string, known: readonly T[], what: string): T {
  const found = known.find((one) => one === given)
  if (found === undefined) throw new Usage(`${what} must be ${known.join(', ')}`)
  return found
}
