/** Names of definitions as people read them. */

/** `MonthlyRent` as `Monthly rent`; what is written in capitals stays so. */
export function spaced(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(' ')
  return words
    .map((word, index) => (index === 0 || /^[A-Z0-9]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ')
}

/** A path over lookups, `Tenant/Name`, as `Tenant name`. */
export function spacedPath(path: string): string {
  return path
    .split('/')
    .map((name, index) => (index === 0 ? spaced(name) : spaced(name).toLowerCase()))
    .join(' ')
}
