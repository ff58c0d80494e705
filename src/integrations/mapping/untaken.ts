/** Why a payload means no change, for the person who looks for it. Pure. */
import type { Json } from '../../domain/json.ts'
import type { Received, When } from '../definition/receive-schema.ts'
import type { Source } from './evaluate.ts'
import { valueAt } from './path.ts'
import { shown } from './unmappable.ts'

/** Rules that are named; the others are counted. */
const MOST_NAMED = 10

/** What the message has where rules look, and what they look for. Of a message that no rule takes. */
export function untakenBy({ map }: Pick<Received, 'map'>, { item, root }: Source): string {
  const conditions = map.map(({ when }) => when ?? {})
  const paths = new Set(conditions.flatMap((when) => Object.keys(when)))
  const has = [...paths].map((path) => `${path} is ${shown(valueAt(path, item, root))}`)
  const wanted = [...new Set(conditions.map(wordsOf))]
  const named = wanted.slice(0, MOST_NAMED)
  if (wanted.length > named.length) named.push(`and ${wanted.length - named.length} more`)
  return `no rule of the integration takes it: ${has.join(', ')}; there are rules for ${named.join('; ')}`
}

/** `type "paid" or "settled" and live true` */
function wordsOf(when: When): string {
  const words = Object.entries(when).map(([path, wanted]) => {
    const values = (Array.isArray(wanted) ? wanted : [wanted]) as readonly Json[]
    return `${path} ${values.map((value) => (value === null ? 'nothing' : shown(value))).join(' or ')}`
  })
  return words.join(' and ')
}
