/** Tokens of the command line: one for each address, in a file that only its owner can read. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { TokenPlace } from '../token.ts'
import { Usage, type Commands } from './command.ts'

interface Kept {
  /** The address of the last login: the one that is meant where none is said. */
  readonly url?: string | undefined
  readonly tokens: { readonly [url: string]: string }
}

const folder = () => join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'daybook')

export function kept(): Kept {
  try {
    return JSON.parse(readFileSync(join(folder(), 'login.json'), 'utf8')) as Kept
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return { tokens: {} }
    throw new Error(`${join(folder(), 'login.json')}: cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

function keep(all: Kept): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 })
  const path = join(folder(), 'login.json')
  const next = `${path}.${process.pid}`
  writeFileSync(next, JSON.stringify(all, null, 2), { mode: 0o600 })
  // A file that was there before keeps the mode that it had.
  chmodSync(next, 0o600)
  renameSync(next, path)
}

/** The token of an address; rotated ones are kept there. Undefined before a login. */
export function placeOf(url: string): TokenPlace | undefined {
  if (kept().tokens[url] === undefined) return undefined
  return {
    read: () => kept().tokens[url]!,
    keep(token) {
      const all = kept()
      keep({ ...all, tokens: { ...all.tokens, [url]: token } })
    },
  }
}

export const loginCommands: Commands = {
  login: {
    usage: '[--url …]',
    about: 'keeps a token for the address; it is asked for, or read from standard input',
    run: async ({ url, connect }) => {
      const token = (await asked('Token: ')).trim()
      if (token === '') throw new Usage('there is no token on standard input')
      const { Name, Company } = await connect({ token }).session.me()
      keep({ url, tokens: { ...kept().tokens, [url]: token } })
      return `Logged in to ${url} as ${Name} of ${Company.Name}.\n`
    },
  },
  logout: {
    usage: '[--url …]',
    about: 'forgets the token of the address',
    run: ({ url: gone }) => {
      const { url, tokens } = kept()
      const { [gone]: token, ...others } = tokens
      if (token === undefined) return `There is no token for ${gone}.\n`
      keep({ url: url === gone ? undefined : url, tokens: others })
      return `The token for ${gone} is forgotten here. It stays valid until it is deleted in the service.\n`
    },
  },
}

/** A line from the terminal, not shown; or all of standard input. */
async function asked(question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    let text = ''
    for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk as string
    return text
  }
  process.stderr.write(question)
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const line = createInterface({ input: process.stdin, output: hidden, terminal: true })
  try {
    return await new Promise<string>((resolve) => {
      line.once('line', resolve)
      line.once('close', () => resolve(''))
    })
  } finally {
    line.close()
    process.stderr.write('\n')
  }
}
