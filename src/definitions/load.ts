/**
 * Reads object definitions from folders, `<folder>/<application>/<object>.json`, and checks them completely: everything else relies on them without checking again.
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Definitions, ObjectDefinition } from '../domain/definition.ts'
import { meantName } from '../domain/filter/closest-name.ts'
import { checkConditions } from './checks/check-conditions.ts'
import { checkDefinition } from './checks/check-definition.ts'
import { doubtFields, mayFollow, standInsFor, withoutLostLookups } from './draft.ts'
import { Findings } from './findings.ts'
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
  'trigger.schema.json',
]
/** Folders that are not applications: integrations (`load-integrations.ts`), triggers (`load-triggers.ts`). */
export const INTEGRATIONS_FOLDER = 'integrations'
export const TRIGGERS_FOLDER = 'triggers'
const OF_THEIR_OWN: readonly string[] = [INTEGRATIONS_FOLDER, TRIGGERS_FOLDER]

/**
 * All definitions, ordered by application and object. A file of a later folder replaces the object of the same name of
 * an earlier one.
 * @throws DefinitionError with every fault of every file
 */
export function loadDefinitions(folders: readonly string[]): Definitions {
  const findings = new Findings()
  const definitions = readDefinitions(folders, findings)
  findings.throwIfAny()
  return definitions
}

/** The same, of files that have faults as much as can be understood: what relies on them can be checked all the same. */
export function readDefinitions(folders: readonly string[], findings: Findings): Definitions {
  const files = new Map<string, DefinitionFile>()
  for (const folder of folders) {
    const own = new Map<string, DefinitionFile>()
    for (const file of filesOf(folder, findings)) {
      const twin = own.get(file.object)
      if (twin)
        findings.add({ file: file.file, reason: `${twin.file} defines the object ${file.object} already` })
      else own.set(file.object, readFile(file, findings))
    }
    for (const [object, file] of own) files.set(object, file)
  }
  for (const file of files.values()) checkLookups(file, files, findings)
  const isThere = (object: string) => files.get(object)?.definition !== undefined
  const read = [...files.values()].flatMap(({ json, definition }) =>
    json && definition ? [{ json, definition: withoutLostLookups(definition, isThere) }] : [],
  )
  const whole = read.map(({ definition }) => definition)
  whole.sort((a, b) => order(a.application, b.application) || order(a.object, b.object))
  const definitions = new Map(whole.map((definition) => [definition.object, definition]))
  // Filters can only be read where every path leads somewhere.
  for (const { json, definition } of read)
    for (const { path, reason } of checkConditions(definition, definitions)) json.report(path, reason)
  return definitions
}

/** The definition files of a folder. Names that begin with a dot, and files that are not JSON, are passed over. */
function filesOf(folder: string, findings: Findings): DefinitionFile[] {
  const found: DefinitionFile[] = []
  for (const application of entriesOf(folder, findings)) {
    const path = join(folder, application)
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      if (application.endsWith('.json') && !BESIDE.includes(application))
        findings.add({ file: path, reason: 'must be in a folder named after its application' })
      continue
    }
    if (OF_THEIR_OWN.includes(application)) continue
    for (const name of entriesOf(path, findings))
      if (name.endsWith('.json'))
        found.push({ file: join(path, name), application, object: basename(name, '.json') })
  }
  return found
}

function entriesOf(folder: string, findings: Findings): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort(order)
  } catch (error) {
    findings.add({ file: folder, reason: `cannot be read: ${(error as Error).message}` })
    return []
  }
}

function readFile(named: DefinitionFile, findings: Findings): DefinitionFile {
  const { file, object, application } = named
  const json = readDefinitionFile(file, findings)
  const definition = json && readDefinition(json, standInsFor(object, application))
  if (!definition) {
    findings.doubt(object)
    return named
  }
  doubtFields(json, findings)
  for (const { path, reason } of checkDefinition(definition))
    if (!mayFollow(path, json.lost())) json.report(path, reason)
  if (definition.object !== object) json.report(['object'], `must be ${object}, as the file is named`)
  if (definition.application !== application)
    json.report(['application'], `must be ${application}, as the folder is named`)
  return { ...named, json, definition }
}

function checkLookups(
  { json, definition }: DefinitionFile,
  files: ReadonlyMap<string, DefinitionFile>,
  findings: Findings,
): void {
  for (const [index, { type, name, target = '' }] of definition?.fields.entries() ?? []) {
    if (type !== 'lookup' || files.get(target)?.definition) continue
    findings.doubt(name)
    if (files.has(target)) continue
    const known = [...files.keys()].sort(order)
    const hint = meantName(target, known) || `; there are ${known.join(', ')}`
    json?.report(['fields', index, 'target'], `there is no object ${target}${hint}`)
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
