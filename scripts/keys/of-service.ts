/** What the service would run with on a folder: its definitions, and the keys that it seals secrets with. */
import { withInternal } from '../../src/compose/parts/definitions.ts'
import { masterKeysOfFolder, readMasterKeys } from '../../src/adapters/sqlite/keys/master-key-file.ts'
import { definitionFolders } from '../../src/compose/read-start.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import { secretKeys } from '../../src/domain/secret-keys.ts'

/** @param ownFolder DEFINITIONS_DIR, where it is set */
export function definitionsOf(ownFolder: string | undefined): Definitions {
  return withInternal(loadDefinitions(definitionFolders({ DEFINITIONS_DIR: ownFolder || undefined })))
}

export interface MasterKeysOf {
  readonly folder: string
  /** SECRETS_KEYS, where it is set. */
  readonly setting: string | undefined
  /** Makes the file of keys where it is missing. */
  readonly mayMake: boolean
}

/** @throws Error where neither the setting nor the folder has keys, and none may be made */
export function masterKeysOf({ folder, setting, mayMake }: MasterKeysOf): readonly Uint8Array[] {
  if (setting) return secretKeys(setting.trim())
  const kept = mayMake ? masterKeysOfFolder(folder) : readMasterKeys(folder)
  if (!kept) throw new Error(`There is no secrets.key in ${folder}: set SECRETS_KEYS as the service has it.`)
  return kept
}
