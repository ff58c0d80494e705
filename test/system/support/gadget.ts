/** An object with a field of every type, defined in a file as a user of the service would do it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from '../../support/service.ts'

export const gadget = {
  object: 'gadget',
  name: 'Gadget',
  application: 'Workshop',
  description: 'A thing with a field of every type.',
  display: 'Name',
  fields: [
    { name: 'GadgetNumber', type: 'text', readOnly: true, searchable: true },
    { name: 'Name', type: 'text', required: true, searchable: true, maxLength: 200 },
    { name: 'Code', type: 'text', unique: true },
    { name: 'Serial', type: 'integer', unique: true },
    { name: 'Story', type: 'longtext', searchable: true },
    { name: 'Count', type: 'integer' },
    { name: 'Level', type: 'integer', minimum: 1, maximum: 10 },
    { name: 'Ratio', type: 'decimal' },
    { name: 'Flag', type: 'boolean' },
    { name: 'Day', type: 'date' },
    { name: 'Moment', type: 'timestamp' },
    { name: 'Price', type: 'money', minimum: 0 },
    { name: 'Colour', type: 'choice', choices: ['Red', 'Green'] },
    { name: 'Size', type: 'choice', choices: ['S', 'M', 'L'], strict: true },
    // Before Tenant, which a gadget's parent has, too: a parent that is shown in full must not be taken for its child.
    { name: 'Parent', type: 'lookup', target: 'gadget' },
    { name: 'Tenant', type: 'lookup', target: 'tenant', searchable: true },
    { name: 'Mail', type: 'email' },
    { name: 'Link', type: 'url' },
    { name: 'Data', type: 'json' },
  ],
  numbering: { field: 'GadgetNumber', pattern: 'GAD-{sequence}', digits: 3 },
} as const

/** A value of each type that a gadget takes, as it is read back; lookups are left out. */
export const everyField = {
  Name: "Möbius “strip” \\ / 😀 <b>&amp;</b> 'quoted'",
  Code: 'G-1',
  Serial: 7,
  Story: 'First line\nsecond\tline\u2028third',
  Count: -42,
  Level: 10,
  Ratio: 0.1,
  Flag: false,
  Day: '2028-02-29',
  Moment: '2026-03-01T09:30:00Z',
  Price: { Amount: 1234.56, Currency: 'EUR' },
  Colour: 'Blue',
  Size: 'M',
  Mail: 'post@example.com',
  Link: 'https://example.com/a?b=c#d',
  Data: { Nested: [1, 'two', null, { 'a.b': true, $gt: '' }], Empty: {} },
} as const

/** What a definition file says; it may well be wrong. */
export interface DefinitionFile {
  readonly object: string
  readonly application: string
  readonly [key: string]: unknown
}

/** A folder that holds these definitions, each in its own file. */
export function definitionsFolder(...definitions: readonly DefinitionFile[]): {
  readonly path: string
  write(definition: DefinitionFile): void
  remove(): void
} {
  const path = newFolder()
  const write = (definition: DefinitionFile) => {
    mkdirSync(join(path, definition.application), { recursive: true })
    writeFileSync(
      join(path, definition.application, `${definition.object}.json`),
      JSON.stringify(definition, undefined, 2),
    )
  }
  definitions.forEach(write)
  return { path, write, remove: () => rmSync(path, { recursive: true, force: true }) }
}
