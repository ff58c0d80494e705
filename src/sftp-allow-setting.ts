/** SFTP servers that files may be picked up from: `host:port`, or ranges of addresses, separated by commas. */
import { z } from 'zod'
import { readRange, readRanges, type Range } from './webhooks/addresses.ts'

export interface SftpAllowed {
  /** As `host:port`, in lower case. */
  readonly hosts: ReadonlySet<string>
  readonly ranges: readonly Range[]
}

const HOST = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?:[1-9]\d{0,4}$/

export const sftpAllowed = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((one) => one.trim().toLowerCase())
      .filter((one) => one !== ''),
  )
  .refine(
    (all) => all.every((one) => HOST.test(one) || readRange(one) !== undefined),
    'must be servers such as sftp.bank.example:22, or ranges such as 10.1.0.0/16, separated by commas',
  )
  .transform((all): SftpAllowed => ({
    hosts: new Set(all.filter((one) => HOST.test(one))),
    ranges: readRanges(all),
  }))
