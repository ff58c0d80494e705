/**
 * A WsgiDAV for one test run: on a free port of 127.0.0.1, with its files in a folder of its own. It ends by `stop`, and by itself when
 * the process that started it ends.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, closeSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ended } from '../ended.ts'
import { freePort } from '../free-ports.ts'
import { wsgidav } from './binary.ts'

export interface WebDavServer {
  readonly url: string
  /** The folder that it shows. */
  readonly files: string
  readonly user: string
  readonly password: string
  stop(): Promise<void>
}

const START_MS = 30_000

export async function startWsgiDav(): Promise<WebDavServer> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-wsgidav-'))
  const files = join(folder, 'files')
  mkdirSync(files)
  const port = await freePort()
  const [user, password] = ['daybook', 'a password of the files']
  const settings = {
    host: '127.0.0.1',
    port,
    server: 'cheroot',
    provider_mapping: { '/files': files },
    simple_dc: { user_mapping: { '*': { [user]: { password } } } },
    http_authenticator: { accept_basic: true, accept_digest: false, default_to_digest: false },
    property_manager: true,
    lock_storage: true,
    verbose: 1,
  }
  // JSON is YAML.
  writeFileSync(join(folder, 'wsgidav.yaml'), JSON.stringify(settings))
  const log = openSync(join(folder, 'log'), 'w')
  const server = spawn(wsgidav!, ['--config', join(folder, 'wsgidav.yaml')], { stdio: ['ignore', log, log] })
  closeSync(log)
  const end = () => server.kill('SIGKILL')
  process.once('exit', end)
  const url = `http://127.0.0.1:${port}/files`
  const until = performance.now() + START_MS
  while (!(await answers(url))) {
    if (server.exitCode !== null || performance.now() > until)
      throw new Error(`WsgiDAV does not start: ${readFileSync(join(folder, 'log'), 'utf8')}`)
    await delay(100)
  }
  return {
    url,
    files,
    user,
    password,
    async stop() {
      process.removeListener('exit', end)
      await ended(server, folder)
    },
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url, { method: 'OPTIONS' })
    return true
  } catch {
    return false
  }
}
