/** The command lines of scripts. */
import { parseArgs, type ParseArgsConfig } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

interface Shape<O extends Options> {
  readonly options?: O
  /** How many arguments without a name: the fewest and the most. */
  readonly positionals?: readonly [fewest: number, most: number]
}

/**
 * What the command was given. `--help` prints the usage and ends the process; so does what cannot be understood, after saying
 * what that is, with exit code 2.
 */
export function commandLine<const O extends Options = Record<never, never>>(
  usage: string,
  { options = {} as O, positionals: [fewest, most] = [0, 0] }: Shape<O> = {},
) {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage)
    process.exit(0)
  }
  const unknown = args.find(
    (one) => one.startsWith('--') && !Object.hasOwn(options, one.slice(2).split('=')[0]!),
  )
  if (unknown !== undefined) return refuse(usage, `There is no option ${unknown}.`)
  try {
    const read = parseArgs({ args, options, allowPositionals: true })
    const { length } = read.positionals
    if (length >= fewest && length <= most) return read
    return refuse(
      usage,
      length < fewest ? undefined : `${read.positionals[most]}: this is one argument too many.`,
    )
  } catch (error) {
    return refuse(usage, (error as Error).message)
  }
}

/** Says what cannot be understood, and the usage; ends the process. */
export function refuse(usage: string, reason?: string): never {
  console.error(reason === undefined ? usage : `${reason}\n\n${usage}`)
  process.exit(2)
}
