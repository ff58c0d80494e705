/**
 * The `import` object: a file, or JSON, that becomes records, from its upload to its undoing. Kept by the same commands, events
 * and read models as records, served by routes of its own (docs/imports.md).
 *
 * Names and meanings of fields are stored for ever. No value of a cell is among them: those are in files (`ports/files.ts`).
 */
import type { NamedEvent, ObjectDefinition } from '../domain/definition.ts'

export const IMPORT = 'import'

export const STATES = [
  'Reading',
  'NeedsMapping',
  'Checked',
  'Running',
  'Completed',
  'CompletedWithErrors',
  'Cancelled',
  'Failed',
  'Undoing',
  'Undone',
  'PartlyUndone',
] as const

export type ImportState = (typeof STATES)[number]

const inState = (done: string, ...states: readonly ImportState[]): NamedEvent => ({
  name: `${IMPORT}.${done}`,
  when: states.map((state) => `State eq '${state}'`).join(' or '),
})

export const importDefinition: ObjectDefinition = {
  object: IMPORT,
  name: 'Import',
  application: 'Daybook',
  description: 'Rows that become records: from a file, or as JSON.',
  display: 'Object',
  internal: { secrets: [] },
  fields: [
    { name: 'Kind', type: 'choice', choices: ['file', 'bank', 'undo'], strict: true, default: 'file' },
    { name: 'Object', type: 'text', required: true, maxLength: 60 },
    { name: 'State', type: 'choice', choices: STATES, strict: true, required: true },
    { name: 'Sha256', type: 'text', maxLength: 64, description: 'Of the file.' },
    { name: 'File', type: 'json', description: 'Name, Bytes, Type.' },
    { name: 'Read', type: 'json', description: 'What reading came to: staged rows, columns, notices.' },
    { name: 'ReadAt', type: 'timestamp' },
    { name: 'Mapping', type: 'json', description: 'Which column goes where, and how.' },
    { name: 'MappedAt', type: 'timestamp' },
    { name: 'Bank', type: 'json', description: 'Of a bank file: Format, Statements, Survey, Choices.' },
    { name: 'Questions', type: 'json', description: 'What has to be decided before the check.' },
    { name: 'Check', type: 'json', description: 'What a dry run came to.' },
    { name: 'Options', type: 'json', description: 'How it is to be committed.' },
    { name: 'Runs', type: 'integer', minimum: 0, description: 'How often it was committed or tried again.' },
    { name: 'Counts', type: 'json', description: 'What became of the rows, once that is decided.' },
    { name: 'CommittedAt', type: 'timestamp' },
    { name: 'IsCancelling', type: 'boolean' },
    { name: 'Reason', type: 'longtext', description: 'Why it failed or was cancelled.' },
    { name: 'By', type: 'text', required: true, maxLength: 60, description: 'Key of the user or token.' },
    { name: 'Person', type: 'text', maxLength: 60, description: 'Key of the person behind a token.' },
    { name: 'Profile', type: 'text', maxLength: 60 },
    { name: 'Schedule', type: 'text', maxLength: 60 },
    { name: 'SameContentAs', type: 'text', maxLength: 60 },
    {
      name: 'Corrects',
      type: 'text',
      maxLength: 60,
      description: 'The import whose refused rows it brings.',
    },
    { name: 'Undoes', type: 'text', maxLength: 60, description: 'Of an undo: the import that it undoes.' },
    { name: 'UndoneBy', type: 'text', maxLength: 60 },
    { name: 'FilesRemovedAt', type: 'timestamp', description: 'Since when its file is not kept any more.' },
    {
      name: 'StateBefore',
      type: 'text',
      maxLength: 30,
      description: 'Of an undo: the state in which it found the import that it undoes.',
    },
  ],
  events: [
    inState('received', 'Reading'),
    { name: `${IMPORT}.read`, when: 'ReadAt ne null' },
    { name: `${IMPORT}.mapped`, when: 'MappedAt ne null' },
    inState('checked', 'Checked'),
    inState('committed', 'Running'),
    inState('completed', 'Completed', 'CompletedWithErrors'),
    inState('cancelled', 'Cancelled'),
    inState('failed', 'Failed'),
    inState('undone', 'Undone', 'PartlyUndone'),
  ],
}
