/** Imports that a process has left behind: those that are under way, and do not move on between two looks. */
import { fieldOf } from '../domain/definition.ts'
import { SYSTEM, type Company } from '../domain/events/event.ts'
import type { Filter } from '../domain/filter/ast.ts'
import { isUnderWay, type CommitOptions } from './import.ts'
import { importDefinition, IMPORT, type ImportState } from './objects.ts'
import type { ImportRunner } from './runner.ts'
import { loadImport, type ImportWork } from './work.ts'

export interface LeftImports {
  /** Takes over what nobody works on. */
  look(): Promise<void>
}

export interface LeftImportsOptions {
  readonly work: Pick<ImportWork, 'readModels' | 'load' | 'signs'>
  readonly runner: Pick<ImportRunner, 'isKnown' | 'wake'>
  /** No other process can work on imports: what is found was left. */
  readonly isAlone: boolean
}

const AT_ONCE = 500
const MAY_BE_UNDER_WAY: Filter = {
  op: 'in',
  path: {
    text: 'State',
    hops: [],
    on: importDefinition,
    field: fieldOf(importDefinition, 'State')!,
    kind: 'exact',
  },
  values: ['Reading', 'Checked', 'Running', 'Undoing'],
  negated: false,
}

export function leftImports({ work, runner, isAlone }: LeftImportsOptions): LeftImports {
  /** By company: how its imports stood at the last look. */
  const stood = new Map<Company, string>()

  const lookIn = async (company: Company) => {
    const left: string[] = []
    const standing: (string | number)[] = []
    for (const key of await candidates(work, company)) {
      const whole = runner.isKnown(key) ? undefined : await loadImport(work, company, key)
      if (!whole || !isUnderWay(whole)) continue
      left.push(key)
      standing.push(key, whole.version, await work.signs.count(company, key))
    }
    const now = standing.join(' ')
    // One of them moves on: the others wait for their turn where it is worked on.
    if (isAlone || stood.get(company) === now) for (const key of left) runner.wake(company, key)
    if (left.length === 0) stood.delete(company)
    else stood.set(company, now)
  }

  return {
    async look() {
      for await (const company of companiesIn(work)) await lookIn(company)
    },
  }
}

/** By what lists show: those that are under way, and those that were to be committed as soon as they were checked. */
async function candidates({ readModels }: LeftImportsOptions['work'], company: Company): Promise<string[]> {
  const found: string[] = []
  for (let offset = 0; ; offset += AT_ONCE) {
    const asked = { object: IMPORT, filter: MAY_BE_UNDER_WAY, sort: [], offset, limit: AT_ONCE, expand: [] }
    const { records } = await readModels.list(company, asked)
    for (const { key, json } of records) {
      const shown = JSON.parse(json) as { State: ImportState; Options: Partial<CommitOptions> | null }
      if (shown.State !== 'Checked' || shown.Options?.Commit) found.push(key)
    }
    if (records.length < AT_ONCE) return found
  }
}

/** The Keys of all companies. */
export async function* companiesIn({ readModels }: Pick<ImportWork, 'readModels'>): AsyncGenerator<Company> {
  for (let offset = 0; ; offset += AT_ONCE) {
    const of = { object: 'company', sort: [], offset, limit: AT_ONCE, expand: [] }
    const { records } = await readModels.list(SYSTEM, of)
    for (const { key } of records) yield key
    if (records.length < AT_ONCE) return
  }
}
