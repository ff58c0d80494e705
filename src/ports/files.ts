/**
 * Bytes that are too large for events: uploaded files, and what is made from them. Kept by company and by what they hold, so
 * that the same bytes are kept once. Proven by `test/contracts/files.ts`.
 *
 * Events name a file by its SHA-256; who may see it is decided by those who know why it was kept.
 */
import type { Company } from '../domain/events/event.ts'

export interface KeptFile {
  /** Of the bytes, in hex. */
  readonly sha256: string
  readonly bytes: number
}

/** From `start` on, before `end`; in bytes. */
export interface ByteRange {
  readonly start: number
  readonly end?: number
}

export interface Files {
  /**
   * Keeps the bytes durably; nothing is kept when they end early or are too many.
   * @param most so many bytes at most
   * @throws TooLarge past that; Unavailable when they cannot be kept now
   */
  put(company: Company, bytes: AsyncIterable<Uint8Array>, most: number): Promise<KeptFile>

  /** The bytes, in pieces of at most a megabyte; undefined when the company has no such file. */
  open(
    company: Company,
    sha256: string,
    range?: ByteRange,
  ): Promise<AsyncIterable<Uint8Array<ArrayBuffer>> | undefined>

  /** From now on the company has no such file; nothing happens where it had none. */
  remove(company: Company, sha256: string): Promise<void>

  close(): Promise<void>
}
