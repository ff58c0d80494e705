/** The authenticated user or token that makes a request. */
import type { Company } from '../domain/events/event.ts'
import type { Access } from '../rights/access.ts'

export interface Principal {
  readonly company: Company
  /** Key of the user or token. */
  readonly actor: string
  /** Key of the person behind it: the owner of a token that a user made, else the user or token itself. */
  readonly person: string
  readonly name: string
  /** Of users only. */
  readonly email?: string
  readonly roles: readonly string[]
  readonly access: Access
  /** Key of the session, when the request carries the session cookie: a page of another origin may have sent it (CSRF). */
  readonly session?: string
  /** The company's name. */
  readonly companyName: string
  /** SHA-256 of the token's value that the request carries; it may be the value before the last rotation. */
  readonly tokenHash?: string
}

/** What a request carries to authenticate itself. */
export type Credential = { readonly bearer: string } | { readonly cookie: string }

/** A principal, and what the answer to it must carry. */
export interface Admitted {
  readonly principal: Principal
  /** The credential is not valid from then on, in ms since 1970; `Infinity`: it does not end by itself. */
  readonly until: number
  /** A new value of the session cookie, when the session has been extended. */
  readonly renewed?: string
  /** When the token expires, in ms since 1970, when that is near. */
  readonly tokenExpires?: number
}

/**
 * The principal of a credential by the present state of all that decides it; undefined when the credential is not valid.
 * At once, where that state is at hand. `isRead`: the request changes nothing, so that it may be judged by remembered states
 * for a while when the event store is away.
 * @throws Unavailable when the state cannot be had: the request is then refused
 */
export type Authenticate = (
  credential: Credential,
  isRead: boolean,
) => Admitted | undefined | Promise<Admitted | undefined>
