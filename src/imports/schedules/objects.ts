/** The `importschedule` object: files that are picked up in their time. Names and meanings of fields are stored for ever. */
import type { ObjectDefinition } from '../../domain/definition.ts'

export const SCHEDULE = 'importschedule'

export const scheduleDefinition: ObjectDefinition = {
  object: SCHEDULE,
  name: 'Import schedule',
  application: 'Daybook',
  description: 'Files that are picked up in their time, and imported.',
  display: 'Name',
  internal: { secrets: ['Secret'], changedAs: { Secret: 'Secret' } },
  fields: [
    { name: 'Name', type: 'text', required: true, unique: true, maxLength: 200 },
    { name: 'Object', type: 'text', required: true, maxLength: 60 },
    { name: 'Profile', type: 'text', maxLength: 60 },
    { name: 'RunAs', type: 'text', required: true, maxLength: 100, description: 'Name of a role.' },
    { name: 'Source', type: 'json', description: 'Kind, and where files lie.' },
    { name: 'Secret', type: 'longtext', description: 'What a server is logged in to with, sealed.' },
    { name: 'Files', type: 'text', required: true, maxLength: 200, description: 'Names, with * and ?.' },
    { name: 'Ignore', type: 'json', description: 'Names that are passed over.' },
    {
      name: 'DoneFile',
      type: 'text',
      maxLength: 200,
      description: 'The name of what says that a file is whole.',
    },
    { name: 'StableSeconds', type: 'integer', minimum: 0, maximum: 3_600 },
    { name: 'MinAgeSeconds', type: 'integer', minimum: 0, maximum: 604_800 },
    { name: 'MostFiles', type: 'integer', minimum: 1, maximum: 1_000 },
    { name: 'Cron', type: 'text', maxLength: 100 },
    { name: 'Every', type: 'text', maxLength: 20, description: 'A duration, in place of Cron.' },
    { name: 'TimeZone', type: 'text', required: true, maxLength: 60 },
    { name: 'OnMissedRuns', type: 'choice', choices: ['once', 'none'], strict: true },
    { name: 'Commit', type: 'choice', choices: ['whenNoErrors', 'always', 'never'], strict: true },
    { name: 'After', type: 'json', description: 'Folders for files that are done, and that failed.' },
    { name: 'ExpectBy', type: 'json', description: 'Time and Days by which a file has come.' },
    { name: 'IsActive', type: 'boolean' },
    { name: 'NextRunAt', type: 'timestamp' },
    { name: 'LastRun', type: 'json', description: 'What the last run came to.' },
    { name: 'LastTakenAt', type: 'timestamp', description: 'When a file was taken last.' },
    { name: 'Health', type: 'choice', choices: ['Ok', 'Missed', 'Failed'], strict: true },
    { name: 'ExpectAt', type: 'timestamp', description: 'When a file has to have come.' },
    { name: 'OverdueSince', type: 'timestamp' },
  ],
  events: [
    { name: `${SCHEDULE}.missed`, when: `Health eq 'Missed'` },
    { name: `${SCHEDULE}.failed`, when: `Health eq 'Failed'` },
    { name: `${SCHEDULE}.overdue`, when: 'OverdueSince ne null' },
  ],
}
