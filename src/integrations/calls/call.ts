/** What is asked of another system, and what came of it. */
import type { Json } from '../../domain/json.ts'
import type { IntegrationDefinition } from '../definition/integration-schema.ts'
import type { Integration } from '../integration.ts'

/** A request as it goes, but for its base address and what authenticates it. */
export interface FilledRequest {
  readonly method: string
  /** With the query, or a whole address of the same origin. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export type Called =
  | Answered
  /** It is not its turn: nothing was sent. */
  | { readonly kind: 'held'; readonly ms: number; readonly detail: string }
  /** No answer. `isUnclear`: the other system may have done it all the same. */
  | { readonly kind: 'failed'; readonly detail: string; readonly isUnclear: boolean }
  /** It needs a person: credentials, or an address that may not be reached. */
  | { readonly kind: 'refused'; readonly detail: string }

export interface Answered {
  readonly kind: 'answered'
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Undefined where the answer is neither JSON nor a list of WebDAV. */
  readonly json: Json | undefined
  readonly url: string
}

export interface Calls {
  /** Never rejects for what the other system does. */
  /** @param begin is called right before the request goes out; false: it must not */
  call(
    integration: Integration,
    file: IntegrationDefinition,
    request: FilledRequest,
    begin?: () => Promise<boolean>,
  ): Promise<Called>
}
