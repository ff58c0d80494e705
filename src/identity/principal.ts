/** Who a request comes from, once that is known. */
import type { Company } from '../domain/events/event.ts'
import type { Access } from '../rights/access.ts'

export interface Principal {
  readonly company: Company
  /** Key of the user or token. */
  readonly actor: string
  /** Key of the person behind it: the owner of a token that a user made, else the user or token itself. */
  readonly person: string
  readonly name: string
  /** Of a user. */
  readonly email?: string
  readonly roles: readonly string[]
  readonly access: Access
  /** Key of the session, when it was told by the cookie: such a request may come from a foreign page (CSRF). */
  readonly session?: string
  /** The company's name. */
  readonly companyName: string
  /** Of a token that was told by a value that a newer one has replaced: it holds for a while, and renews nothing. */
  readonly isReplaced?: true
}

/** What a request shows to say who it is from. */
export type Credential = { readonly bearer: string } | { readonly cookie: string }

/** A principal, and what its answer has to tell it. */
export interface Admitted {
  readonly principal: Principal
  /** The session's cookie, when it is to be set anew: its time has begun anew. */
  readonly renewed?: string
  /** When the token expires, in ms since 1970, when that is near. */
  readonly tokenExpires?: number
}

/**
 * Finds the principal of a credential, as things stand when this is called; undefined when there is none. At once, where all
 * that it takes is at hand.
 * @throws Unavailable when that cannot be told now: nobody is then let in
 */
export type Authenticate = (credential: Credential) => Admitted | undefined | Promise<Admitted | undefined>
