/** A service with an integration of its own beside those that are shipped. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, testService, type TestServiceOptions } from '../../support/service.ts'
import { LOOPBACK } from './partner.ts'

/** The folder of definitions is left to the end of the process. */
export async function serviceWith(file: { readonly integration: string }, options: TestServiceOptions = {}) {
  const folder = newFolder()
  mkdirSync(join(folder, 'integrations'))
  writeFileSync(join(folder, 'integrations', `${file.integration}.json`), JSON.stringify(file))
  const settings = { DEFINITIONS_DIR: folder, ...LOOPBACK, ...options.settings }
  return testService({ ...options, settings })
}
