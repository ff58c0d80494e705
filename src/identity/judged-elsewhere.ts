/**
 * Verdicts on credentials, for a thread that has not the states which decide them: it asks the main thread, and goes by the
 * answer while nothing has changed that verdicts depend on. Whether something has, a number in memory that both share says,
 * before the change is answered.
 */
import type { Definitions } from '../domain/definition.ts'
import { recentlyUsed } from '../domain/recently-used.ts'
import { accessOf, type Access } from '../rights/access.ts'
import type { Role } from '../rights/role.ts'
import type { Authenticate, Credential, Principal } from './principal.ts'

/** A verdict as threads exchange it. */
export interface Judged {
  readonly principal: Omit<Principal, 'access'>
  /** Its roles with what they grant. */
  readonly roles: readonly Role[]
  /** For how long it may be gone by, in ms. */
  readonly forMs: number
}

/** Also the longest time in which a use of a token is not noted, and an aged session not renewed. */
const LONGEST_MS = 1_000
const CAPACITY = 10_000
const ROLE_SETS = 500

export interface JudgeOptions {
  readonly authenticate: Authenticate
  readonly rolesNamed: (company: string, names: readonly string[]) => Promise<readonly Role[]>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * The main thread's side: the verdict on a credential of a request that reads; undefined where the request has to be answered
 * there, because it is refused, or its answer carries more than others.
 */
export function judge({ authenticate, rolesNamed, now }: JudgeOptions) {
  return async (credential: Credential): Promise<Judged | undefined> => {
    const admitted = await authenticate(credential, true)
    if (!admitted || admitted.renewed !== undefined || admitted.tokenExpires !== undefined) return undefined
    const { access: _, ...principal } = admitted.principal
    const roles = await rolesNamed(principal.company, principal.roles)
    return { principal, roles, forMs: Math.min(LONGEST_MS, admitted.until - now()) }
  }
}

export interface JudgedElsewhereOptions {
  /** Of all objects. */
  readonly definitions: Definitions
  readonly ask: (credential: Credential) => Promise<Judged | undefined>
  /** Another number with every change that verdicts depend on. */
  readonly changes: () => number
  /** Monotonic, in ms. */
  readonly elapsed: () => number
}

interface Known {
  readonly principal: Principal
  readonly changes: number
  readonly until: number
}

/**
 * The principal of a credential, at once where that is known; undefined where the main thread has to answer the request.
 * @throws Unavailable when the main thread cannot say
 */
export function judgedElsewhere({ definitions, ask, changes, elapsed }: JudgedElsewhereOptions) {
  const known = recentlyUsed<Known>(CAPACITY)
  const accesses = recentlyUsed<Access>(ROLE_SETS)

  const accessBy = (roles: readonly Role[]): Access => {
    const id = JSON.stringify(roles)
    const access = accesses.get(id) ?? accessOf(roles, definitions)
    accesses.set(id, access)
    return access
  }

  const judgeNow = async (id: string, credential: Credential): Promise<Principal | undefined> => {
    // Before it is asked: what changes meanwhile may be missing in the answer.
    const [before, at] = [changes(), elapsed()]
    const judged = await ask(credential)
    if (!judged) {
      known.delete(id)
      return undefined
    }
    const principal = { ...judged.principal, access: accessBy(judged.roles) }
    known.set(id, { principal, changes: before, until: at + judged.forMs })
    return principal
  }

  return (credential: Credential): Principal | undefined | Promise<Principal | undefined> => {
    const id = 'bearer' in credential ? `bearer ${credential.bearer}` : `cookie ${credential.cookie}`
    const last = known.get(id)
    if (last && last.changes === changes() && elapsed() < last.until) return last.principal
    return judgeNow(id, credential)
  }
}
