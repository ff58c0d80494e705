/** `daybook …`: the client on the command line. Exit codes: 0, 1 (failed), 2 (usage), 3 (conflict), 4 (not allowed in). */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { Daybook } from '../daybook.ts'
import { DaybookError } from '../errors.ts'
import { OPTIONS, Usage } from './command.ts'
import { commands } from './commands.ts'
import { kept, placeOf } from './login.ts'
import { shown } from './table.ts'

const CONFLICT = 3
const NOT_LET_IN = 4

const HELP = `daybook <command> [arguments] [--url http://127.0.0.1:3000] [--json]

${Object.entries(commands)
  .map(([name, { usage, about }]) => `  ${name} ${usage}\n      ${about}`)
  .join('\n')}

The address is --url, DAYBOOK_URL, or that of the last login; the token is DAYBOOK_TOKEN, or that of the login.
Answers are tables on a terminal, and JSON elsewhere and with --json.
`

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS })
  const [name, ...given] = positionals
  if (values.help || name === undefined) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new Usage(`there is no command ${name}`)
  if (values['dry-run'] && !command.dry) throw new Usage(`${name} does not take --dry-run`)
  let code = 0
  const desk = deskAt(values.url, () => (code = 1))
  const answer = await command.run(desk, given, values)
  const isTable = process.stdout.isTTY && !values.json
  if (typeof answer === 'string') process.stdout.write(answer)
  else if (answer instanceof Response)
    await pipeline(Readable.from(answer.body ?? []), process.stdout, { end: false })
  else process.stdout.write(`${shown(answer, isTable)}\n`)
  return code
}

function deskAt(given: string | undefined, fail: () => void) {
  const url = (given ?? process.env['DAYBOOK_URL'] ?? kept().url ?? 'http://127.0.0.1:3000').replace(
    /\/+$/,
    '',
  )
  const known = process.env['DAYBOOK_TOKEN'] ?? placeOf(url)
  const connect = (other: { readonly url?: string; readonly token?: string }) => {
    const token = other.token ?? known
    return new Daybook({ url, ...other, ...(token !== undefined && { token }), userAgent: 'daybook-cli' })
  }
  return { url, daybook: connect({}), connect, fail }
}

function codeOf(error: unknown): number {
  if (error instanceof Usage || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) return 2
  if (!(error instanceof DaybookError)) return 1
  if (error.status === 409 || error.status === 412) return CONFLICT
  return error.status === 401 || error.status === 403 ? NOT_LET_IN : 1
}

try {
  process.exitCode = await run()
} catch (error) {
  process.exitCode = codeOf(error)
  process.stderr.write(`${(error as Error).message}\n`)
}
