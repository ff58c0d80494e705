/** Whom the policies and roles let in, as they are meant: worked out without the service's own code. */
import type { Role } from '../../src/rights/role.ts'
import type { Ask } from './asks.ts'
import { ELSEWHERE } from './notification-asks.ts'
import type { Route } from './routes.ts'
import type { Principal } from './world.ts'

export function isOpen({ policies }: { readonly policies: Route['policies'] }): boolean {
  return policies.some(({ action }) => action === 'open' || action === 'probe')
}

/** Cookies count for nothing on the port of notifications. */
export function isLeftOut({ by }: Principal, route: string): boolean {
  return by === 'cookie' && route.includes(ELSEWHERE)
}

export function isGranted({ Grants }: Role, action: string, object: string): boolean {
  return Grants.some(
    ({ Object: of, Actions }) =>
      (of === '*' || of === object) &&
      (Actions.includes(action) || (action.startsWith('workflow:') && Actions.includes('workflow:*'))),
  )
}

export function isLetIn(principal: Principal, ask: Ask, path: string): boolean {
  const needs = ask.policies
    .filter(({ action }) => !['open', 'probe', 'self', 'workflow::action'].includes(action))
    .map(({ action, object }) => [action, object === ':object' ? path.split(/[/?]/)[0]! : object] as const)
  return (
    [...needs, ...ask.needs].every(([action, object]) => isGranted(principal.role, action, object)) &&
    ask.mayAlso(principal)
  )
}
