/** What the service would run with on a folder: its definitions, and the keys that it seals secrets with. */
import { join } from 'node:path'
import { withInternal } from '../../src/compose/parts/definitions.ts'
import { keysOfFile } from '../../src/compose/parts/secrets.ts'
import { secretKeys } from '../../src/config.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'
import type { Definitions } from '../../src/domain/definition.ts'

/** @param ownFolder DEFINITIONS_DIR, where it is set */
export function definitionsOf(ownFolder: string | undefined): Definitions {
  const shipped = join(import.meta.dirname, '..', '..', 'definitions')
  return withInternal(loadDefinitions(ownFolder ? [shipped, ownFolder] : [shipped]))
}

/** @param setting SECRETS_KEYS, where it is set; otherwise the folder has a file of keys, which is made if need be */
export function masterKeysOf(folder: string, setting: string | undefined): readonly Uint8Array[] {
  return setting ? secretKeys(setting.split(/[\s,]+/)) : keysOfFile(folder)
}
