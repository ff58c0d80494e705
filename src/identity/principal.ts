/** Who a request comes from, once that is known. */
import type { Company } from '../domain/event.ts'
import type { Access } from './access.ts'

export interface Principal {
  readonly company: Company
  /** Key of the user or token. */
  readonly actor: string
  readonly name: string
  readonly roles: readonly string[]
  readonly access: Access
}

/** Finds the principal of a bearer token; undefined when there is none. */
export type Authenticate = (token: string) => Principal | undefined
