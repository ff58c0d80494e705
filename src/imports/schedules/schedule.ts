/** A schedule as code sees it, and as it is read from bodies. */
import { z } from 'zod'
import type { Definitions } from '../../domain/definition.ts'
import { Invalid, type Fault } from '../../domain/errors.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { utcOf } from '../mapping/zoned-time.ts'
import { cronFault } from './cron.ts'

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

const scheduleBody = z.strictObject({
  Name: name,
  Object: name,
  Profile: name,
  RunAs: name,
  Source: z.strictObject({ Kind: z.literal('folder'), Folder: name, Path: path.default('') }),
  Files: name.default('*'),
  Ignore: z.array(name).max(50).default(IGNORED),
  StableSeconds: z.int().min(0).max(3_600).default(30),
  MostFiles: z.int().min(1).max(1_000).default(100),
  Cron: z.string().max(100),
  TimeZone: z.string().max(60).default('UTC'),
  OnMissedRuns: z.enum(['once', 'none']).default('once'),
  Commit: z.enum(['whenNoErrors', 'always', 'never']).default('whenNoErrors'),
  /** Null: it stays where it is. */
  After: z
    .strictObject({ Done: below.nullable().default('processed'), Failed: below.nullable().default('failed') })
    .prefault({}),
  IsActive: z.boolean().default(true),
})

export type Schedule = z.infer<typeof scheduleBody>
export type Source = Schedule['Source']

/** @throws Invalid naming each member that is wrong; `definitions`: of the objects that are served */
export function readSchedule(definitions: Definitions, body: Json, now: number): Schedule {
  const read = scheduleBody.safeParse(body, {
    error: (issue) => {
      if (issue.input === undefined) return 'is missing'
      return issue.code === 'unrecognized_keys' ? `has unknown members: ${issue.keys.join(', ')}` : undefined
    },
  })
  const faults: Fault[] = read.success
    ? factFaults(definitions, read.data, now)
    : read.error.issues.map(({ path: at, message }) => ({ Field: at.join('.'), Message: message }))
  if (!read.success || faults.length > 0) throw new Invalid('The schedule is not valid.', faults)
  return read.data
}

function factFaults(definitions: Definitions, { Object: object, Cron, TimeZone }: Schedule, now: number) {
  const faults: Fault[] = []
  if (!definitions.has(object))
    faults.push({ Field: 'Object', Message: 'must be the name of an object, such as contract' })
  const isZone = utcOf('2029-01-15T12:00:00', TimeZone) !== undefined
  if (!isZone) faults.push({ Field: 'TimeZone', Message: 'must be a time zone such as Europe/Amsterdam' })
  const fault = isZone ? cronFault(Cron, TimeZone, now) : undefined
  if (fault !== undefined) faults.push({ Field: 'Cron', Message: fault })
  return faults
}

/** As it is stored. */
export const scheduleOf = (fields: Fields): Schedule => fields as unknown as Schedule

/** Whether a name is meant: `*` stands for any characters, `?` for one. */
export function isMeant({ Files, Ignore }: Pick<Schedule, 'Files' | 'Ignore'>, file: string): boolean {
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
