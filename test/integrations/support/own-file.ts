/** A service with an integration of its own beside those that are shipped. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, testService, type TestServiceOptions } from '../../support/service.ts'
import { LOOPBACK } from './partner.ts'

/** A folder of definitions with the file in it; it is left to the end of the process. */
export function folderWith(file: { readonly integration: string }): string {
  const folder = newFolder()
  mkdirSync(join(folder, 'integrations'))
  writeFileSync(join(folder, 'integrations', `${file.integration}.json`), JSON.stringify(file))
  return folder
}

export function serviceWith(file: { readonly integration: string }, options: TestServiceOptions = {}) {
  const settings = { DEFINITIONS_DIR: folderWith(file), ...LOOPBACK, ...options.settings }
  return testService({ ...options, settings })
}
