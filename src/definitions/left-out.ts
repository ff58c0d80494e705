/**
 * Files that come with the service and do not fit the objects which an operator has put in the place of shipped ones. They are
 * left out, and that is said: an operator who replaces an object should not have to replace everything that knew it as well.
 */
import type { DefinitionFault } from './definition-error.ts'
import { Findings } from './findings.ts'

export interface LeftOut {
  readonly what: 'integration' | 'trigger'
  readonly name: string
  readonly faults: readonly DefinitionFault[]
}

/** Reads one file; undefined where its faults leave nothing. */
type Read<T> = (file: string, findings: Findings) => T | undefined

/**
 * Reads the files of all folders, later ones in the place of earlier ones of the same name. The first folder is what is shipped.
 * What it holds that does not fit the others is added to `leftOut`; all other faults go to `findings`.
 */
export function readFitting<T>(
  folders: readonly (readonly string[])[],
  { what, nameOf, read }: { what: LeftOut['what']; nameOf: (one: T) => string; read: Read<T> },
  findings: Findings,
  leftOut: LeftOut[],
): ReadonlyMap<string, T> {
  const [shipped = [], ...own] = folders
  const found = own.flat().flatMap((file) => read(file, findings) ?? [])
  const owned = new Map(found.map((one) => [nameOf(one), one]))
  if (own.length === 0)
    return new Map(shipped.flatMap((file) => read(file, findings) ?? []).map((one) => [nameOf(one), one]))
  const fitting = shipped.flatMap((file) => {
    const separate = new Findings()
    const one = read(file, separate)
    if (!one || owned.has(nameOf(one))) return []
    if (separate.faults.length === 0) return [one]
    leftOut.push({ what, name: nameOf(one), faults: separate.faults })
    return []
  })
  return new Map([...fitting.map((one) => [nameOf(one), one] as const), ...owned])
}
