/**
 * A Mosquitto for one test run: on a free port of 127.0.0.1, with its data in a folder of its own. It ends by `stop`, and by itself
 * when the process that started it ends.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ended } from '../ended.ts'
import { freePort } from '../free-ports.ts'

/** Where Debian's package puts it, or another that `MOSQUITTO` names. */
export const MOSQUITTO = process.env['MOSQUITTO'] ?? '/usr/sbin/mosquitto'

/** What has to be done to have it; undefined when it is there. */
export const missing = existsSync(MOSQUITTO)
  ? undefined
  : 'there is no Mosquitto: npm run engines:install brings it'

export interface Mosquitto {
  readonly url: string
  stop(): Promise<void>
}

const START_MS = 15_000

/** @param more lines of its configuration */
export async function startMosquitto(more: readonly string[] = []): Promise<Mosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-mosquitto-'))
  const port = await freePort()
  const log = join(folder, 'log')
  const lines = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    // Without it the broker drops what is more than 1,000 messages for a client that is away.
    'max_queued_messages 0',
    `log_dest file ${log}`,
    ...(process.getuid?.() === 0 ? ['user root'] : []),
    ...more,
  ]
  const file = join(folder, 'mosquitto.conf')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const server: ChildProcess = spawn(MOSQUITTO, ['-c', file], { stdio: 'ignore' })
  const end = () => server.kill('SIGKILL')
  process.once('exit', end)
  const until = performance.now() + START_MS
  while (!(await isListening(port))) {
    if (server.exitCode !== null || performance.now() > until)
      throw new Error(`Mosquitto does not start: ${existsSync(log) ? readFileSync(log, 'utf8') : ''}`)
    await delay(50)
  }
  return {
    url: `mqtt://127.0.0.1:${port}`,
    async stop() {
      process.removeListener('exit', end)
      await ended(server, folder)
    },
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
