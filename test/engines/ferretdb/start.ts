/**
 * A FerretDB for one test run: on a free port of 127.0.0.1, with its data in a folder of its own that goes with it.
 *
 * It ends by `stop`, and by itself when the process that started it ends, whatever way.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { binary } from './binary.ts'

export interface FerretDb {
  /** `mongodb://127.0.0.1:<port>/` */
  readonly url: string
  readonly pid: number
  /** Ends the server; its data stays until `stop`, so that `start` on the same folder and port brings it back. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export interface StartOptions {
  /** That of a server that was killed, to bring it back. */
  readonly folder?: string
  readonly port?: number
}

/** @throws Error with the server's own words when it does not start */
export async function startFerretDb({
  folder = mkdtempSync(join(tmpdir(), 'daybook-ferretdb-')),
  port = 0,
}: StartOptions = {}): Promise<FerretDb & { readonly folder: string }> {
  const server = spawn(binary, [`127.0.0.1:${port}`, folder], { stdio: ['pipe', 'pipe', 'pipe'] })
  const exited = once(server, 'exit')
  let words = ''
  server.stderr.on('data', (data: Buffer) => (words = (words + data.toString()).slice(-2_000)))
  const url = await new Promise<string>((resolve, reject) => {
    const lines = createInterface(server.stdout)
    lines.on('line', (line) => line.startsWith('LISTENING ') && resolve(line.slice('LISTENING '.length)))
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`FerretDB ended with ${code} at its start: ${words}`)))
  })
  const kill = async () => {
    server.kill('SIGKILL')
    await exited
  }
  return {
    url,
    folder,
    pid: server.pid!,
    kill,
    async stop() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
