/** `--name value` on the command line of a fault script. Anything else stops it. */
import { parseArgs } from 'node:util'

/**
 * The numbers given, or their defaults.
 * @throws Error naming what is not understood
 */
export function numbersFromArguments<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const names = Object.keys(defaults) as Name[]
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ options })
  const numbers: Record<Name, number> = { ...defaults }
  for (const name of names) {
    const text = (values as Partial<Record<string, string>>)[name]
    if (text === undefined) continue
    if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number`)
    numbers[name] = Number(text)
  }
  return numbers
}
