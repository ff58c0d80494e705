/** `npm run admin`, as whoever has the machine runs it. */
import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { HeaderValues } from '../../support/service.ts'

const ADMIN = join(import.meta.dirname, '..', '..', '..', 'scripts', 'admin.ts')

export interface AdminAnswer {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs it to its end, with just these settings. */
export function admin(settings: HeaderValues, ...words: string[]): Promise<AdminAnswer> {
  const { PATH = '' } = process.env
  const env = { PATH, ...settings }
  return new Promise((resolve) =>
    execFile(process.execPath, [ADMIN, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  )
}

/** What it says first on stderr; it is ended then. */
export function firstLineOfAdmin(settings: HeaderValues, ...words: string[]): Promise<string> {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [ADMIN, ...words], { env: { PATH, ...settings } })
  return new Promise((resolve) => {
    child.stderr.once('data', (chunk: Buffer) => {
      child.kill('SIGKILL')
      resolve(chunk.toString())
    })
    child.once('exit', (code) => resolve(`ended with ${code}`))
  })
}

/** The password that it has printed; empty when it has not. */
export function passwordIn({ stdout }: AdminAnswer): string {
  return /^ {2}(\S+)$/m.exec(stdout)?.[1] ?? ''
}
