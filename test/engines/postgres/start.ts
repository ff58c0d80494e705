/**
 * A PostgreSQL for one test run: on a free port of 127.0.0.1, with its data in a folder of its own, run by a user who is not
 * root. It ends by `stop`, and by itself when the process that started it ends, whatever way.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../free-ports.ts'
import { programs } from './binary.ts'

const run = promisify(execFile)

export interface Postgres {
  /** Of the superuser, without a database: `postgres://…@127.0.0.1:<port>`. */
  readonly adminUrl: string
  readonly port: number
  /** A new database, prepared as operators are to prepare one: the URL of its writer. */
  newDatabase(): Promise<string>
  /** SIGKILL to the server and its backends, as in a crash. */
  kill(): Promise<void>
  /** Starts it again after `kill`, on the data that it left. */
  start(): Promise<void>
  stop(): Promise<void>
}

const SETUP = join(import.meta.dirname, '..', '..', '..', 'deploy', 'postgres', 'warehouse.sql')
const PASSWORD = 'tests-only'
const START_MS = 30_000

/** Root may not run the server: the package has a user for it. */
function user(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** @throws Error with the server's own words when it does not start */
export async function startPostgres(settings: readonly string[] = []): Promise<Postgres> {
  if (!programs) throw new Error('PostgreSQL is not installed')
  const bin = programs
  const owner = user()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-postgres-'))
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid!)
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, PASSWORD, { mode: 0o644 })
  const initdb = [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
  ]
  await run(join(bin, 'initdb'), [...initdb, '--locale=C.UTF-8', '--no-sync'], { ...owner, cwd: folder })
  const port = await freePort()
  const words = join(folder, 'words')
  let server: ChildProcess | undefined
  const env = { ...process.env, PGPASSWORD: PASSWORD }
  const address = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-qAt']
  const psql = (database: string, ...more: string[]) =>
    run(join(bin, 'psql'), [...address, '-d', database, ...more], { env })

  const start = async () => {
    const out = openSync(words, 'a')
    const arguments_ = ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', folder, '-c', 'fsync=off']
    server = spawn(join(bin, 'postgres'), [...arguments_, ...settings.flatMap((one) => ['-c', one])], {
      ...owner,
      cwd: folder,
      stdio: ['ignore', out, out],
      detached: true,
    })
    // Reads until this process is gone, and then ends what it has left behind.
    spawn(
      'sh',
      ['-c', 'cat > /dev/null; kill -QUIT "$1" 2>/dev/null; sleep 1; rm -rf "$0"', folder, `${server.pid}`],
      {
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
      },
    ).unref()
    const until = performance.now() + START_MS
    for (;;)
      try {
        await psql('postgres', '-c', 'SELECT 1')
        return
      } catch (error) {
        if (server.exitCode !== null || performance.now() > until)
          throw new Error(`PostgreSQL does not start: ${readFileSync(words, 'utf8').slice(-2_000)}`, {
            cause: error,
          })
        await delay(100)
      }
  }
  const kill = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    // Backends see that it is gone and end by themselves.
    server.kill('SIGKILL')
    await exited
    await delay(300)
    rmSync(join(data, 'postmaster.pid'), { force: true })
  }
  let databases = 0
  await start()
  return {
    adminUrl: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}`,
    port,
    async newDatabase() {
      const name = `daybook_${process.pid}_${++databases}`
      await psql('postgres', '-c', `CREATE DATABASE ${name}`)
      await psql(name, '-v', `writer_password=${PASSWORD}`, '-f', SETUP)
      return `postgres://daybook_warehouse:${PASSWORD}@127.0.0.1:${port}/${name}`
    },
    kill,
    start,
    async stop() {
      server?.kill('SIGINT')
      if (server && server.exitCode === null && server.signalCode === null) await once(server, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
