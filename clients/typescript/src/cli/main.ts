/** `daybook …`: the client on the command line. Exit codes: 0, 1 (failed), 2 (usage), 3 (conflict), 4 (not allowed in). */
import { parseArgs } from 'node:util'
import { Daybook } from '../daybook.ts'
import { DaybookError } from '../errors.ts'
import { commands, Usage } from './commands.ts'
import { shown } from './table.ts'

const CONFLICT = 3
const NOT_LET_IN = 4

const HELP = `daybook <command> [arguments] [--url http://127.0.0.1:3000] [--json]

${Object.entries(commands)
  .map(([name, { usage, about }]) => `  ${`${name} ${usage}`.padEnd(44)} ${about}`)
  .join('\n')}

The token is that of the variable DAYBOOK_TOKEN, the address --url or DAYBOOK_URL.`

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      json: { type: 'boolean', default: false },
      filter: { type: 'string' },
      sort: { type: 'string' },
      limit: { type: 'string' },
      reason: { type: 'string' },
      'if-match': { type: 'string' },
      'as-of': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const [name, ...given] = positionals
  if (values.help || name === undefined) {
    process.stdout.write(`${HELP}\n`)
    return values.help ? 0 : 2
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new Usage(`there is no command ${name}`)
  const url = values.url ?? process.env['DAYBOOK_URL'] ?? 'http://127.0.0.1:3000'
  const token = process.env['DAYBOOK_TOKEN']
  const daybook = new Daybook({ url, ...(token !== undefined && { token }), userAgent: 'daybook-cli' })
  const answer = await command.run(daybook, given, values)
  const isTable = process.stdout.isTTY && !values.json
  process.stdout.write(typeof answer === 'string' ? answer : `${shown(answer, isTable)}\n`)
  return 0
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
