/** A JSON file of definitions, with its faults where a person finds them. */
import { readFileSync } from 'node:fs'
import { jsonPath, type DefinitionFault } from './definition-error.ts'
import { JsonSyntaxError, readJson } from './read-json.ts'

export interface DefinitionJson {
  readonly value: unknown
  /** Notes a fault of a member of the file. */
  report(path: readonly PropertyKey[], reason: string): void
}

/** Undefined for a file that cannot be read or is not JSON, which is noted among the faults. */
export function readDefinitionFile(file: string, faults: DefinitionFault[]): DefinitionJson | undefined {
  try {
    const json = readJson(readFileSync(file, 'utf8'))
    return {
      value: json.value,
      report: (path, reason) =>
        void faults.push({ file, ...json.placeOf(path), path: jsonPath(path), reason }),
    }
  } catch (error) {
    const place = error instanceof JsonSyntaxError ? error.place : {}
    const reason =
      error instanceof JsonSyntaxError ? `is not JSON: ${error.message}` : `cannot be read: ${String(error)}`
    faults.push({ file, ...place, reason })
    return undefined
  }
}
