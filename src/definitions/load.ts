/**
 * Reads object definitions from folders, `<folder>/<application>/<object>.json`, and checks them completely: everything else relies on them without checking again.
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Definitions, ObjectDefinition } from '../domain/definition.ts'
import { checkConditions } from './checks/check-conditions.ts'
import { checkDefinition } from './checks/check-definition.ts'
import { DefinitionError, type DefinitionFault } from './definition-error.ts'
import { readDefinitionFile, type DefinitionJson } from './read-file.ts'
import { readDefinition } from './schema.ts'

interface DefinitionFile {
  readonly file: string
  /** What the folder and the file name say. */
  readonly application: string
  readonly object: string
  readonly json?: DefinitionJson
  readonly definition?: ObjectDefinition
}

/** What lies beside the applications: the roles (`load-roles.ts`), and the schemas for editors. */
export const ROLES_FILE = 'roles.json'
const BESIDE: readonly string[] = [
  ROLES_FILE,
  'definition.schema.json',
  'roles.schema.json',
  'integration.schema.json',
]
/** Folders that are not applications: integrations (`load-integrations.ts`). */
export const INTEGRATIONS_FOLDER = 'integrations'
const OF_THEIR_OWN: readonly string[] = [INTEGRATIONS_FOLDER]

/**
 * All definitions, ordered by application and object. A file of a later folder replaces the object of the same name of
 * an earlier one.
 * @throws DefinitionError with every fault of every file
 */
export function loadDefinitions(folders: readonly string[]): Definitions {
  const faults: DefinitionFault[] = []
  const files = new Map<string, DefinitionFile>()
  for (const folder of folders) {
    const own = new Map<string, DefinitionFile>()
    for (const file of filesOf(folder, faults)) {
      const twin = own.get(file.object)
      if (twin)
        faults.push({ file: file.file, reason: `${twin.file} defines the object ${file.object} already` })
      else own.set(file.object, readFile(file, faults))
    }
    for (const [object, file] of own) files.set(object, file)
  }
  for (const file of files.values()) checkLookups(file, files)
  if (faults.length > 0) throw new DefinitionError(faults)
  const whole = [...files.values()].flatMap(({ definition }) => (definition ? [definition] : []))
  whole.sort((a, b) => order(a.application, b.application) || order(a.object, b.object))
  const definitions = new Map(whole.map((definition) => [definition.object, definition]))
  // Filters can only be read where every path leads somewhere.
  for (const { json, definition } of files.values())
    for (const { path, reason } of definition ? checkConditions(definition, definitions) : [])
      json?.report(path, reason)
  if (faults.length > 0) throw new DefinitionError(faults)
  return definitions
}

/** The definition files of a folder. Names that begin with a dot, and files that are not JSON, are passed over. */
function filesOf(folder: string, faults: DefinitionFault[]): DefinitionFile[] {
  const found: DefinitionFile[] = []
  for (const application of entriesOf(folder, faults)) {
    const path = join(folder, application)
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      if (application.endsWith('.json') && !BESIDE.includes(application))
        faults.push({ file: path, reason: 'must be in a folder named after its application' })
      continue
    }
    if (OF_THEIR_OWN.includes(application)) continue
    for (const name of entriesOf(path, faults))
      if (name.endsWith('.json'))
        found.push({ file: join(path, name), application, object: basename(name, '.json') })
  }
  return found
}

function entriesOf(folder: string, faults: DefinitionFault[]): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort(order)
  } catch (error) {
    faults.push({ file: folder, reason: `cannot be read: ${(error as Error).message}` })
    return []
  }
}

function readFile(named: DefinitionFile, faults: DefinitionFault[]): DefinitionFile {
  const { file } = named
  const json = readDefinitionFile(file, faults)
  if (!json) return named
  const { report } = json

  const read = readDefinition(json.value)
  if ('faults' in read) {
    for (const { path, reason } of read.faults) report(path, reason)
    return named
  }
  const { definition } = read
  for (const { path, reason } of checkDefinition(definition)) report(path, reason)
  if (definition.object !== named.object) report(['object'], `must be ${named.object}, as the file is named`)
  if (definition.application !== named.application)
    report(['application'], `must be ${named.application}, as the folder is named`)
  return { ...named, json, definition }
}

function checkLookups(
  { json, definition }: DefinitionFile,
  files: ReadonlyMap<string, DefinitionFile>,
): void {
  for (const [index, field] of definition?.fields.entries() ?? []) {
    if (field.type !== 'lookup' || files.has(field.target ?? '')) continue
    const known = [...files.keys()].sort(order).join(', ')
    json?.report(['fields', index, 'target'], `there is no object ${field.target}; there are ${known}`)
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
