/** A disk that refuses to read or write one file of a running process, by strace: the system calls themselves fail with EIO. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export interface RefusingDisk {
  /** From now on it reads and writes again; answers how many calls failed. */
  heal(): Promise<number>
}

export interface Refused {
  readonly pid: number
  /** The file; what SQLite keeps beside it is refused as well. */
  readonly path: string
  readonly call: 'pread64' | 'pwrite64'
  /** Of notes that are removed afterwards. */
  readonly folder: string
}

const LOOK_MS = 20

/** @throws Error when strace cannot attach */
export async function refuse({ pid, path, call, folder }: Refused): Promise<RefusingDisk> {
  const notes = join(folder, `strace-${call}`)
  rmSync(notes, { force: true })
  const paths = [path, `${path}-wal`].flatMap((one) => ['-P', one])
  const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:error=EIO`]
  const strace = spawn('strace', ['-f', '-o', notes, '-p', String(pid), ...paths, ...inject], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  strace.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = new Promise<void>((resolve) => strace.once('exit', () => resolve()))
  // It says so of the process, and then of its threads.
  while (!said.includes('attached')) {
    if (strace.exitCode !== null) throw new Error(`strace cannot attach: ${said}`)
    await delay(LOOK_MS)
  }
  return {
    async heal() {
      strace.kill('SIGINT')
      await ended
      const text = existsSync(notes) ? readFileSync(notes, 'utf8') : ''
      return text.split('(INJECTED)').length - 1
    },
  }
}
