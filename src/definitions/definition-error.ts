/** What is wrong with definition files: everything at once, each fault where a person finds it. */
import type { Place } from './read-json.ts'

export interface DefinitionFault extends Partial<Place> {
  /** The file or folder, as the caller named it. */
  readonly file: string
  /** JSON path in that file, `$.fields[3].target`; absent when it concerns the file as a whole. */
  readonly path?: string
  readonly reason: string
}

/** Definitions that cannot be used; the message lists every fault, one a line. */
export class DefinitionError extends Error {
  readonly faults: readonly DefinitionFault[]
  constructor(faults: readonly DefinitionFault[]) {
    const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`
    super(`${count} in the definitions:\n${faults.map((fault) => `  ${described(fault)}`).join('\n')}`)
    this.name = 'DefinitionError'
    this.faults = faults
  }
}

/** `['fields', 3, 'target']` is `$.fields[3].target`. */
export function jsonPath(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`
    const name = String(step)
    return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
  })
  return `$${steps.join('')}`
}

function described({ file, line, column, path, reason }: DefinitionFault): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`
  return path === undefined ? `${place}: ${reason}` : `${place} ${path}: ${reason}`
}
