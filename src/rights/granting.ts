/**
 * Who may give which roles: only those that have them. A `system_admin` counts as having every role of the company;
 * `operator` is about the service itself, and only operators give it.
 */

export const SYSTEM_ADMIN = 'system_admin'
export const OPERATOR = 'operator'

export function mayGrant(own: readonly string[], role: string): boolean {
  return own.includes(role) || (role !== OPERATOR && own.includes(SYSTEM_ADMIN))
}

/** The given roles that are still in force, now that their giver has the roles `own`. */
export function stillGranted(given: readonly string[], own: readonly string[]): readonly string[] {
  return given.filter((role) => mayGrant(own, role))
}
