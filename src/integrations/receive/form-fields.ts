/** What a form has to hold to be worth a record: something that a person has filled in. Pure. */
import { closestName } from '../../domain/filter/closest-name.ts'
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import type { Received } from '../definition/receive-schema.ts'
import { expressionsOf } from '../mapping/parts.ts'

/** Where a form's fields stand in its payload. */
const FIELDS = 'fields.'
const MOST_NAMED = 5
const LONGEST = 40

const isFilled = (value: Json | undefined) =>
  (typeof value === 'string' ? value.trim() : (value ?? '')) !== ''

/** Why nobody can be known by the form: none of its `answers` is filled in. Undefined where one is, and of what is not a form. */
export function doubtOfAnswers(entry: Received, payload: Json): string | undefined {
  const fields = isObject(payload) && isObject(payload['fields']) ? payload['fields'] : {}
  for (const scheme of entry.verify) {
    const answers = 'form' in scheme ? scheme.form.answers : undefined
    if (answers && !answers.some((name) => isFilled(fields[name])))
      return `none of ${answers.join(', ')} is filled in${unknownOf(entry, fields)}`
  }
  return undefined
}

/** Fields that no rule reads, with those that were meant. */
function unknownOf({ verify, map }: Received, fields: Fields): string {
  const honeypots = verify.flatMap((scheme) => ('form' in scheme ? [scheme.form.honeypot] : []))
  const paths = map.flatMap(({ when = {}, set }) => [
    ...Object.keys(when),
    ...Object.values(set).flatMap(expressionsOf),
  ])
  const read = paths.flatMap((path) =>
    typeof path === 'string' && path.startsWith(FIELDS) ? [path.slice(FIELDS.length)] : [],
  )
  const known = [...new Set([...read, ...honeypots])]
  const unknown = Object.keys(fields)
    .filter((name) => !known.includes(name))
    .slice(0, MOST_NAMED)
  if (unknown.length === 0) return ''
  const meant = [...new Set(unknown.flatMap((name) => closestName(name, known) ?? []))]
  const hint = meant.length > 0 ? `: did you mean ${meant.join(', ')}?` : ''
  return `; the form does not know ${unknown.map((name) => name.slice(0, LONGEST)).join(', ')}${hint}`
}
