/** The items of a payload: one message may bring several. */
import type { Json } from '../../domain/json.ts'
import { valueAt } from './path.ts'

/** The items of the list at `path`; nothing when there is none. `items.item` reads the member `item` of each of `items`. */
export function itemsAt(payload: Json | undefined, path: string): readonly Json[] {
  if (payload === undefined) return []
  const whole = valueAt(path, payload)
  if (Array.isArray(whole)) return whole as readonly Json[]
  const names = path.split('.')
  for (let end = names.length - 1; end > 0; end -= 1) {
    const list = valueAt(names.slice(0, end).join('.'), payload)
    if (!Array.isArray(list)) continue
    const rest = names.slice(end).join('.')
    return (list as readonly Json[]).flatMap((item) => valueAt(rest, item) ?? [])
  }
  return []
}
