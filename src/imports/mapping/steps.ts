/** What a mapping does to a text before it is read. A closed list: no scripts. */

import { RE2JS } from 're2js'
import { recentlyUsed } from '../../domain/recently-used.ts'

const EXTRACT = 'extract:'
/** Instructions that an expression may come to: time for a cell is bounded by these and its length. */
const MOST_INSTRUCTIONS = 500
const compiled = recentlyUsed<RE2JS>(200)

/** Its time grows with the text alone, for every expression. @throws Error when it cannot be read as an expression */
function expressionOf(step: string): RE2JS {
  const known = compiled.get(step)
  if (known) return known
  const expression = RE2JS.compile(step.slice(EXTRACT.length))
  compiled.set(step, expression)
  return expression
}

/** Whether an `extract` has an expression that can be used; other steps are known by their names. */
export function isStep(step: string): boolean {
  if (!step.startsWith(EXTRACT)) return true
  try {
    return expressionOf(step).programSize() <= MOST_INSTRUCTIONS
  } catch {
    return false
  }
}

function extracted(text: string, step: string): string {
  const found = expressionOf(step).matcher(text)
  if (!found.find()) return ''
  return (found.groupCount() > 0 ? found.group(1) : found.group()) ?? ''
}

export function afterSteps(text: string, steps: readonly string[]): string {
  return steps.reduce(afterStep, text)
}

function afterStep(text: string, step: string): string {
  const [name = '', ...rest] = step.split(':')
  switch (name) {
    case 'trim':
      return text.trim()
    case 'upper':
      return text.toUpperCase()
    case 'lower':
      return text.toLowerCase()
    case 'collapse':
      return text.trim().replace(/\s+/g, ' ')
    case 'digits':
      return text.replace(/\D/g, '')
    case 'pad':
      return text === '' ? '' : text.padStart(Number(rest[0]), rest[1])
    case 'split':
      return text.split(rest.slice(0, -1).join(':'))[Number(rest.at(-1))] ?? ''
    case 'prefix':
      return text === '' ? '' : rest.join(':') + text
    case 'extract':
      return extracted(text, step)
    default:
      return text
  }
}
