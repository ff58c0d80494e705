/** What is asked of an SFTP server, each with an end: of the answer, of the connection, or of patience. */
import type { FileEntryWithStats, Stats } from 'ssh2'
import type { SftpConnection } from './connect.ts'
import { inTime } from './in-time.ts'

export interface SftpRequests {
  /** Of the name itself, also where it is a link; undefined: it is not there. */
  stat(path: string): Promise<Stats | undefined>
  entries(folder: string): AsyncIterable<readonly FileEntryWithStats[]>
  bytes(path: string): AsyncIterable<Uint8Array>
  makeFolder(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
}

/** How long a server may take to answer one request. */
const ANSWER_MS = 60_000
/** Asked for at once: a round trip each. */
const READ_BYTES = 256 * 1024
const STATUS = { end: 1, noSuchFile: 2 }

type Answer<T> = (error: Error | null | undefined, value?: T) => void

/** @param ended rejects when the connection is over: nothing is answered then */
export function sftpRequests({ sftp, ended }: Pick<SftpConnection, 'sftp' | 'ended'>): SftpRequests {
  const ask = <T>(request: (answer: Answer<T>) => void): Promise<T> => {
    const answered = new Promise<T>((resolve, reject) =>
      request((error, value) => (error ? reject(error) : resolve(value as T))),
    )
    return inTime(Promise.race([answered, ended]), ANSWER_MS, 'the server does not answer any more')
  }
  /** The answer, or undefined where the server has this status instead. */
  const unless = <T>(status: number, asked: Promise<T>): Promise<T | undefined> =>
    asked.catch((error: unknown) => {
      if ((error as { readonly code?: unknown }).code === status) return undefined
      throw error
    })
  const closed = (handle: Buffer) => ask<void>((answer) => sftp.close(handle, answer)).catch(() => {})

  return {
    stat: (path) =>
      unless(
        STATUS.noSuchFile,
        ask<Stats>((answer) => sftp.lstat(path, answer)),
      ),
    makeFolder: (path) => ask<void>((answer) => sftp.mkdir(path, answer)),
    rename: (from, to) => ask<void>((answer) => sftp.rename(from, to, answer)),
    async *entries(folder) {
      const handle = await ask<Buffer>((answer) => sftp.opendir(folder, answer))
      const next = () =>
        unless(
          STATUS.end,
          ask<FileEntryWithStats[]>((answer) => sftp.readdir(handle, answer)),
        )
      try {
        for (let some = await next(); some; some = await next()) yield some
      } finally {
        await closed(handle)
      }
    },
    async *bytes(path) {
      const handle = await ask<Buffer>((answer) => sftp.open(path, 'r', answer))
      const buffer = Buffer.allocUnsafe(READ_BYTES)
      const read = (at: number) =>
        unless(
          STATUS.end,
          ask<number>((answer) => sftp.read(handle, buffer, 0, READ_BYTES, at, answer)),
        )
      try {
        let at = 0
        for (let bytes = await read(at); bytes; bytes = await read(at)) {
          at += bytes
          yield Buffer.from(buffer.subarray(0, bytes))
        }
      } finally {
        await closed(handle)
      }
    },
  }
}
