/** `npm run admin`, as whoever has the machine runs it. */
import { execFile } from 'node:child_process'
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

/** The password that it has printed; empty when it has not. */
export function passwordIn({ stdout }: AdminAnswer): string {
  return /^ {2}(\S+)$/m.exec(stdout)?.[1] ?? ''
}
