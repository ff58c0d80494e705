/** The parts of expressions, for those who check files. */
import type { Expression } from '../definition/expression-schema.ts'

/** The expression and every one inside of it. */
export function expressionsOf(expression: Expression): readonly Expression[] {
  if (typeof expression === 'string' || 'value' in expression || 'setting' in expression) return [expression]
  if ('lookup' in expression) return [expression, ...expressionsOf(expression.from)]
  const inner = Object.entries(expression).flatMap(([name, part]) => {
    if (!READS.has(name)) return []
    return (Array.isArray(part) ? part : [part]) as readonly Expression[]
  })
  return [expression, ...inner.flatMap(expressionsOf)]
}

/** Members that are expressions; the `from` of a choice is a table. */
const READS: ReadonlySet<string> = new Set([
  'minor',
  'money',
  'currency',
  'unix',
  'iso',
  'date',
  'text',
  'number',
  'lower',
  'trim',
  'md5',
  'join',
  'default',
  'choose',
])
