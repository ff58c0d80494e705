/** Reads a value of JSON by its path (`definition/names.ts`). Own members only: `constructor` leads nowhere. */
import { isObject, type Json } from '../../domain/json.ts'

/**
 * A member whose own name has dots, `@odata.nextLink`, is found where it is the end of the path. Undefined where the path
 * leads nowhere. `root`: the whole payload, for paths that begin with `$.`.
 */
export function valueAt(
  path: string,
  from: Json | undefined,
  root: Json | undefined = from,
): Json | undefined {
  if (path === '$') return from
  const isFromRoot = path.startsWith('$.')
  let value = isFromRoot ? root : from
  const names = (isFromRoot ? path.slice(2) : path).split('.')
  for (const [index, name] of names.entries()) {
    if (Array.isArray(value))
      value = /^\d{1,6}$/.test(name) ? (value as readonly Json[])[Number(name)] : undefined
    else if (isObject(value)) {
      const rest = names.slice(index).join('.')
      if (!Object.hasOwn(value, name) && Object.hasOwn(value, rest)) return value[rest]
      value = Object.hasOwn(value, name) ? value[name] : undefined
    } else return undefined
  }
  return value
}
