/** A JSON file of definitions, with its faults where a person finds them. */
import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { jsonPath } from './definition-error.ts'
import type { Findings } from './findings.ts'
import { JsonSyntaxError, readJson } from './read-json.ts'
import { readRepaired, restsOn, type StandIn } from '../shapes/repaired.ts'

type Path = readonly PropertyKey[]

export interface DefinitionJson {
  readonly value: unknown
  /** As much as can be read; the faults of its shape are noted. Undefined where that is not enough. */
  read<T>(schema: z.ZodType<T>, standIn?: StandIn): T | undefined
  /** What could not be read, by its place in the file. */
  lost(): readonly Path[]
  /** Notes a fault of a part of what was read, unless it rests on what could not be read. */
  report(path: Path, reason: string): void
}

/** Undefined for a file that cannot be read or is not JSON, which is noted. */
export function readDefinitionFile(file: string, findings: Findings): DefinitionJson | undefined {
  const json = parsed(file, findings)
  if (!json) return undefined
  let lost: readonly Path[] = []
  let original = (path: Path) => path
  const note = (path: Path, reason: string) =>
    findings.add({ file, ...json.placeOf(path), path: jsonPath(path), reason })
  return {
    value: json.value,
    read(schema, standIn) {
      const read = readRepaired(schema, json.value, standIn)
      ;({ lost, original } = read)
      for (const { path, reason } of read.faults) note(path, reason)
      return read.data
    },
    lost: () => lost,
    report(path, reason) {
      const place = original(path)
      const said = valueAt(json.value, place)
      if (restsOn(place, lost) || findings.isDoubted(reason)) return
      if (typeof said === 'string' && findings.isDoubted(said)) return
      note(place, reason)
    },
  }
}

function parsed(file: string, findings: Findings) {
  try {
    return readJson(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      findings.add({ file, ...error.place, reason: `is not JSON: ${error.message}` })
    else findings.add({ file, reason: `cannot be read: ${String(error)}` })
    return undefined
  }
}

/** What the JSON has there. */
export function valueAt(json: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[step] : undefined,
    json,
  )
}
