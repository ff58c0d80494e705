/** Reads triggers of notifications from folders, `<folder>/triggers/<area>/<trigger>.json`. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import type { Definitions } from '../domain/definition.ts'
import { AREAS } from '../notifications/objects.ts'
import { triggerFaults, triggerSchema, type Trigger, type Triggers } from '../notifications/triggers.ts'
import { standIns } from '../shapes/repaired.ts'
import { choiceWords } from '../shapes/shape-words.ts'
import { Findings } from './findings.ts'
import { readFitting, type LeftOut } from './left-out.ts'
import { TRIGGERS_FOLDER } from './load.ts'
import { readDefinitionFile } from './read-file.ts'

/**
 * The triggers by name; one of a later folder replaces that of the same name of an earlier one.
 * @throws DefinitionError with every fault of every file
 */
export function loadTriggers(folders: readonly string[], definitions: Definitions): Triggers {
  const findings = new Findings()
  const triggers = readTriggers(folders, definitions, findings)
  findings.throwIfAny()
  return triggers
}

/** The same; faults are noted, and what is shipped and does not fit the objects of a later folder is left out. */
export function readTriggers(
  folders: readonly string[],
  definitions: Definitions,
  findings: Findings,
  leftOut: LeftOut[] = [],
): Triggers {
  const files = folders.map((folder) =>
    areasOf(folder, findings).flatMap((area) => filesOf(join(folder, TRIGGERS_FOLDER, area))),
  )
  const read = (file: string, found: Findings) => readTrigger(file, definitions, found)
  const nameOf = ({ trigger }: Trigger) => trigger
  return readFitting(files, { what: 'trigger', nameOf, read }, findings, leftOut)
}

/** The JSON Schema (draft 7, which editors know best) of the file. */
export function triggerJsonSchema(): object {
  return { title: 'Trigger', ...z.toJSONSchema(triggerSchema, { target: 'draft-7', io: 'input' }) }
}

function areasOf(folder: string, findings: Findings): readonly string[] {
  const within = join(folder, TRIGGERS_FOLDER)
  if (!existsSync(within)) return []
  const names = readdirSync(within).filter((name) => !name.startsWith('.'))
  return names.filter((name) => {
    const isArea = (AREAS as readonly string[]).includes(name)
    if (!isArea)
      findings.add({ file: join(within, name), reason: `is not an area: ${choiceWords(name, AREAS)}` })
    return isArea
  })
}

function filesOf(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
  return names.sort().map((name) => join(folder, name))
}

/** For a trigger with faults. */
const STAND_INS = {
  on: { event: 'unreadable' },
  'on.days': [0],
  'on.at': '00:00',
  'on.zone': 'company',
  to: [{ role: 'unreadable' }],
}

function readTrigger(file: string, definitions: Definitions, findings: Findings): Trigger | undefined {
  const name = basename(file, '.json')
  const area = basename(dirname(file))
  const json = readDefinitionFile(file, findings)
  const trigger = json?.read(triggerSchema, standIns({ ...STAND_INS, trigger: name, area }))
  if (!json || !trigger) return undefined
  if (trigger.trigger !== name) json.report(['trigger'], `must be ${name}, as the file is named`)
  if (trigger.area !== area) json.report(['area'], `must be ${area}, as the folder is named`)
  for (const { path, reason } of triggerFaults(trigger, definitions)) json.report(path, reason)
  return trigger
}
