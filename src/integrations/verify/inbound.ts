/** A message from another system, as it arrived. */
import type { Json } from '../../domain/json.ts'

/** What arrived. */
export interface Inbound {
  readonly method: string
  /** The address as the sender knows it, with its query. */
  readonly url: string
  /** Names in lowercase. */
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: Uint8Array
}

export interface Verifying {
  readonly inbound: Inbound
  /** The body read as JSON or as a form; undefined when it is neither. */
  readonly payload: Json | undefined
  /** Valid values of a credential, newest first: two while it is rotated, none when it was never given. */
  readonly secrets: (name: string) => readonly string[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Why a message is not believed, for the operator's log; undefined when it is. Senders only see that it was refused. */
export type Doubt = string | undefined
