/** Reads triggers of notifications from folders, `<folder>/triggers/<area>/<trigger>.json`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Definitions } from '../domain/definition.ts'
import { AREAS } from '../notifications/objects.ts'
import { triggerFaults, triggerSchema, type Trigger, type Triggers } from '../notifications/triggers.ts'
import { DefinitionError, jsonPath, type DefinitionFault } from './definition-error.ts'
import { JsonSyntaxError, readJson } from './read-json.ts'

/**
 * The triggers by name; one of a later folder replaces that of the same name of an earlier one.
 * @throws DefinitionError with every fault of every file
 */
export function loadTriggers(folders: readonly string[], definitions: Definitions): Triggers {
  const faults: DefinitionFault[] = []
  const triggers = new Map<string, Trigger>()
  for (const folder of folders)
    for (const area of AREAS) {
      const within = join(folder, 'triggers', area)
      const names = existsSync(within) ? readdirSync(within).filter((name) => name.endsWith('.json')) : []
      for (const name of names.sort()) {
        const trigger = readTrigger(join(within, name), area, definitions, faults)
        if (trigger) triggers.set(trigger.trigger, trigger)
      }
    }
  if (faults.length > 0) throw new DefinitionError(faults)
  return triggers
}

function readTrigger(
  file: string,
  area: string,
  definitions: Definitions,
  faults: DefinitionFault[],
): Trigger | undefined {
  try {
    const json = readJson(readFileSync(file, 'utf8'))
    const read = triggerSchema.safeParse(json.value)
    if (!read.success) {
      for (const { path, message } of read.error.issues)
        faults.push({ file, ...json.placeOf(path), path: jsonPath(path), reason: message })
      return undefined
    }
    const { data } = read
    const name = basename(file, '.json')
    if (data.trigger !== name) faults.push({ file, reason: `trigger must be ${name}, as the file is named` })
    if (data.area !== area) faults.push({ file, reason: `area must be ${area}, as the folder is named` })
    for (const reason of triggerFaults(data, definitions)) faults.push({ file, reason })
    return data
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    faults.push({ file, ...error.place, reason: `is not JSON: ${error.message}` })
    return undefined
  }
}
