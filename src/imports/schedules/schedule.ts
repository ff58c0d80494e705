/** A schedule as code sees it, and as it is read from bodies. */
import { z } from 'zod'
import type { Definitions } from '../../domain/definition.ts'
import { Invalid, type Fault } from '../../domain/errors.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { isTimeZone } from '../../domain/time/zones.ts'
import { bodyOrFaults } from '../../shapes/body.ts'
import { BANK_STATEMENT } from '../bank/run/statement-plan.ts'
import { nextByCron, timesFault } from './cron.ts'
import type { SftpLogin } from './sftp-login.ts'

/** Names that are still being written, or are not meant. */
const IGNORED = ['*.part', '*.tmp', '*.filepart', '~$*', '.*']

const name = z.string().min(1).max(200)
const below = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be the name of a folder, such as processed')
const path = z
  .string()
  .max(500)
  .refine((text) => !text.startsWith('/') && !text.split(/[\\/]/).includes('..'), {
    error: 'must be a path below the folder',
  })

export const folder = z.strictObject({ Kind: z.literal('folder'), Folder: name, Path: path.default('') })

export const sftp = z.strictObject({
  Kind: z.literal('sftp'),
  Host: z
    .string()
    .max(253)
    .regex(/^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$/, 'must be a host, such as sftp.bank.example'),
  Port: z.int().min(1).max(65_535).default(22),
  User: name,
  Path: z
    .string()
    .max(500)
    .regex(/^[^\0]*$/, 'must be a path on the server')
    .default(''),
  HostKey: z
    .string()
    .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, "must be the fingerprint of the server's key, SHA256: and base64")
    .nullable()
    .default(null)
    .describe("The fingerprint of the server's key; null: not confirmed yet."),
})
const login = z.strictObject({
  Password: z.string().min(1).max(1_000).meta({ writeOnly: true }).exactOptional(),
  PrivateKey: z.string().min(1).max(20_000).meta({ writeOnly: true }).exactOptional(),
  Passphrase: z.string().min(1).max(1_000).meta({ writeOnly: true }).exactOptional(),
})

export const kept = z.strictObject({
  Name: name,
  Object: name,
  Profile: name.nullable().default(null).describe('Null for bank files, which are read as what they are.'),
  RunAs: name.describe('Name of a role.'),
  Files: name.default('*').describe('Names, with * and ?.'),
  Ignore: z.array(name).max(50).default(IGNORED),
  DoneFile: name
    .nullable()
    .default(null)
    .describe(
      "The name of the file that says that another is whole; `*` stands for that one's name, as in *.done.",
    ),
  StableSeconds: z.int().min(0).max(3_600).default(30),
  MinAgeSeconds: z.int().min(0).max(604_800).default(0),
  MostFiles: z.int().min(1).max(1_000).default(100),
  Cron: z.string().max(100).nullable().default(null),
  Every: z.string().max(20).nullable().default(null).describe('In place of Cron: a duration such as PT15M.'),
  TimeZone: z.string().max(60).default('UTC'),
  OnMissedRuns: z.enum(['once', 'none']).default('once'),
  Commit: z.enum(['whenNoErrors', 'always', 'never']).default('whenNoErrors'),
  /** Null: it stays where it is. */
  After: z
    .strictObject({ Done: below.nullable().default('processed'), Failed: below.nullable().default('failed') })
    .prefault({}),
  ExpectBy: z
    .strictObject({
      Time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time, such as 09:00'),
      Days: z
        .string()
        .regex(
          /^(\*|[0-7](-[0-7])?(,[0-7](-[0-7])?)*)$/,
          'must be days of the week, such as 1-5; 0 is Sunday',
        )
        .default('*'),
    })
    .nullable()
    .default(null)
    .describe('By this time of these days a file has come, or the schedule is overdue.'),
  IsActive: z.boolean().default(true),
})
export const sftpWithLogin = sftp.extend(login.shape)
export const sentSchedule = kept.extend({ Source: z.discriminatedUnion('Kind', [folder, sftpWithLogin]) })

export type Source = z.infer<typeof folder> | z.infer<typeof sftp>

export interface Schedule extends z.infer<typeof kept> {
  readonly Source: Source
}

/** With what the server is to be logged in to, where the body says it. */
export interface SentSchedule {
  readonly schedule: Schedule
  readonly login: SftpLogin | undefined
}

/** @throws Invalid naming each member that is wrong; `definitions`: of the objects that are served */
export function readSchedule(definitions: Definitions, body: Json, now: number): SentSchedule {
  const read = bodyOrFaults(sentSchedule, body)
  const faults = 'faults' in read ? read.faults : factFaults(definitions, read.data, now)
  if ('faults' in read || faults.length > 0) throw new Invalid('The schedule is not valid.', faults)
  const { Source: source, ...rest } = read.data
  if (source.Kind === 'folder') return { schedule: { ...rest, Source: source }, login: undefined }
  const { Password, PrivateKey, Passphrase, ...place } = source
  const isSaid = Password !== undefined || PrivateKey !== undefined
  return {
    schedule: { ...rest, Source: place },
    login: isSaid ? { Password, PrivateKey, Passphrase } : undefined,
  }
}

function factFaults(definitions: Definitions, schedule: z.infer<typeof kept>, now: number): Fault[] {
  const { Object: object, Profile, TimeZone, DoneFile } = schedule
  const faults: Fault[] = []
  const say = (Field: string, Message: string) => faults.push({ Field, Message })
  if (!definitions.has(object)) say('Object', 'must be the name of an object, such as contract')
  if (Profile === null && object !== BANK_STATEMENT) say('Profile', 'is missing')
  if ((DoneFile ?? '').split('*').length > 2) say('DoneFile', 'must have at most one *, such as *.done')
  if (!isTimeZone(TimeZone)) say('TimeZone', 'must be a time zone such as Europe/Amsterdam')
  else {
    const fault = timesFault(schedule, now)
    if (fault) faults.push(fault)
    if (schedule.ExpectBy && nextExpectation(schedule, now) === undefined)
      say('ExpectBy.Days', 'must be days of the week, such as 1-5; 0 is Sunday')
  }
  return faults
}

/** When a file has to have come by, in ms since 1970; undefined: none is expected. */
export function nextExpectation(
  { ExpectBy, TimeZone }: Pick<Schedule, 'ExpectBy' | 'TimeZone'>,
  after: number,
): number | undefined {
  if (!ExpectBy) return undefined
  const [hours, minutes] = ExpectBy.Time.split(':').map(Number)
  try {
    return nextByCron(`${minutes} ${hours} * * ${ExpectBy.Days}`, TimeZone, after)
  } catch {
    return undefined
  }
}

/** As it is stored, where fields that are null are left out. */
export const scheduleOf = (fields: Fields): Schedule => ({ ...UNSET, ...fields }) as unknown as Schedule

const UNSET = { Profile: null, DoneFile: null, MinAgeSeconds: 0, Cron: null, Every: null, ExpectBy: null }

/** Whether a name is meant: `*` stands for any characters, `?` for one. */
export function isMeant(
  { Files, Ignore, DoneFile }: Pick<Schedule, 'Files' | 'Ignore' | 'DoneFile'>,
  file: string,
): boolean {
  if (DoneFile !== null && matches(DoneFile, file)) return false
  return matches(Files, file) && !Ignore.some((pattern) => matches(pattern, file))
}

function matches(pattern: string, text: string): boolean {
  // By two places that go on, and one to come back to: never longer than pattern times text.
  let [at, place, star, from] = [0, 0, -1, 0]
  while (place < text.length) {
    if (pattern[at] === '*') [star, from] = [at++, place]
    else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[place])) {
      at++
      place++
    } else if (star >= 0) [at, place] = [star + 1, ++from]
    else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
