/**
 * The files of the console as `npm run build -w console` leaves them: one page, and assets whose names carry a hash of what
 * is in them. They are listed once, at the start; only a name of that list is ever read, so no path leads anywhere else.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

export interface ConsoleFiles {
  /** The page with the placeholders `NONCE` and `BASE`. */
  readonly page: string
  /** Undefined: there is no asset of this name. */
  asset(name: string): ConsoleAsset | undefined
}

export interface ConsoleAsset {
  readonly type: string
  /** Whether it is there packed by gzip, too. */
  readonly isPacked: boolean
  /** `packed`: by gzip. */
  read(packed: boolean): Promise<Buffer>
}

/** What stands in the page for the nonce of an answer. */
export const NONCE = '__NONCE__'
/** What stands in the page before the path of an asset: the way from the address asked for to the console's folder. */
export const BASE = './assets/'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** What is in the folder; undefined when the console is not built. */
export function consoleFiles(folder: string): ConsoleFiles | undefined {
  const assets = join(folder, 'assets')
  let page: string
  let entries
  try {
    page = readFileSync(join(folder, 'index.html'), 'utf8')
    entries = readdirSync(assets, { withFileTypes: true })
  } catch {
    return undefined
  }
  const names = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name))
  const known = new Map<string, ConsoleAsset>()
  for (const name of names) {
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    const path = join(assets, name)
    known.set(name, {
      type,
      isPacked: names.has(`${name}.gz`),
      read: (packed) => readFile(packed ? `${path}.gz` : path),
    })
  }
  return { page, asset: (name) => known.get(name) }
}
