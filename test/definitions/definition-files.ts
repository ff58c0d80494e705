/** Files of definitions for tests of how they are read. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DefinitionError } from '../../src/definitions/definition-error.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'
import type { Definitions, FieldDefinition } from '../../src/domain/definition.ts'

export const asset = {
  object: 'asset',
  name: 'Asset',
  application: 'Facility',
  display: 'Name',
  fields: [{ name: 'Name', type: 'text' }] as Partial<FieldDefinition>[],
}
export const assetWith = (...fields: Partial<FieldDefinition>[]) => ({
  ...asset,
  fields: [...asset.fields, ...fields],
})

export interface DefinitionFiles {
  readonly root: string
  /** Files by their path below the root; text is written as it is. */
  given(files: Readonly<Record<string, unknown>>): void
  load(...folders: string[]): Definitions
  /** The faults as `file path: reason`, files named from the root. */
  faults(...folders: string[]): string[]
  /** The faults of one definition in its right place. */
  faultsOf(definition: object): string[]
  remove(): void
}

export function definitionFiles(): DefinitionFiles {
  const root = mkdtempSync(join(tmpdir(), 'definitions-'))
  const given: DefinitionFiles['given'] = (files) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content))
    }
  }
  const load: DefinitionFiles['load'] = (...folders) =>
    loadDefinitions(folders.map((folder) => join(root, folder)))
  const faults: DefinitionFiles['faults'] = (...folders) => {
    try {
      load(...folders)
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error
      return error.faults.map(({ file, path, reason }) =>
        `${file.slice(root.length + 1)} ${path ?? ''}: ${reason}`.replace(' :', ':'),
      )
    }
    return []
  }
  return {
    root,
    given,
    load,
    faults,
    faultsOf(definition) {
      given({ 'set/Facility/asset.json': definition })
      return faults('set').map((fault) => fault.replace('set/Facility/asset.json ', ''))
    },
    remove: () => rmSync(root, { recursive: true }),
  }
}
