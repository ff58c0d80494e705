/** Which PostgreSQL the tests use, and where Debian's package puts it. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = '/usr/lib/postgresql'
/** The oldest that the service supports. */
export const OLDEST = 15

/** The folder with `postgres`, `initdb` and `psql`; undefined when no version is installed that the tests can use. */
export const programs: string | undefined = (existsSync(ROOT) ? readdirSync(ROOT) : [])
  .filter((version) => Number(version) >= OLDEST)
  .sort((one, other) => Number(other) - Number(one))
  .map((version) => join(ROOT, version, 'bin'))
  .find((folder) => existsSync(join(folder, 'postgres')))

/** The version that is installed; undefined when there is none that the tests can use. */
export async function installedVersion(): Promise<string | undefined> {
  if (!programs) return undefined
  const { stdout } = await promisify(execFile)(join(programs, 'postgres'), ['--version'])
  return /\d+(\.\d+)*/.exec(stdout)?.[0]
}
