/**
 * Who may give whom which roles: nobody gives more than he has. A `system_admin` has every role of the company; `operator`
 * is about the service itself and is given by operators only.
 */

export const SYSTEM_ADMIN = 'system_admin'
export const OPERATOR = 'operator'

export function mayGrant(own: readonly string[], role: string): boolean {
  return own.includes(role) || (role !== OPERATOR && own.includes(SYSTEM_ADMIN))
}

/** The roles that are left of those given, now that whoever gave them has these. */
export function stillGranted(given: readonly string[], own: readonly string[]): readonly string[] {
  return given.filter((role) => mayGrant(own, role))
}
