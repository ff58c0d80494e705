/**
 * `npm run definitions -- <folder>` checks a folder of your own definitions, roles, triggers and integrations as the start of
 * the service does, beside those that are shipped, and says what it holds, or all that is wrong with it. Exit code 1 when
 * something is wrong. Nothing is started or written.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { withInternal } from '../src/compose/parts/definitions.ts'
import { definitionFolders } from '../src/compose/read-start.ts'
import { loadAll } from '../src/definitions/load-all.ts'
import { commandLine } from './command-line.ts'
import { messageOf } from '../src/domain/errors.ts'

const USAGE = `usage: npm run definitions -- [folder]

Checks a folder of definitions, roles, triggers and integrations; without one, that of DEFINITIONS_DIR.`

function main(): void {
  const { positionals } = commandLine(USAGE, { positionals: [0, 1] })
  const folder = positionals[0] ?? process.env['DEFINITIONS_DIR']
  if (folder && !existsSync(folder)) throw new Error(`There is no folder ${folder}.`)
  const folders = definitionFolders({ DEFINITIONS_DIR: folder ? resolve(folder) : undefined })
  const { definitions, roles, triggers, integrations, leftOut } = loadAll(folders, withInternal)
  const objects = [...definitions.values()].map(({ application, object }) => join(application, object))
  console.log(`No faults. With what is shipped there are:`)
  say('objects', objects)
  say('roles', [...roles.keys()])
  say('triggers', [...triggers.keys()])
  say('integrations', [...integrations.keys()])
  for (const { what, name, faults } of leftOut) {
    console.log(`The ${what} ${name} that is shipped is left out, since it does not fit your definitions:`)
    for (const { path, reason } of faults) console.log(`  ${path}: ${reason}`)
  }
}

function say(what: string, names: readonly string[]): void {
  console.log(`  ${String(names.length).padStart(4)} ${what}: ${names.join(', ')}`)
}

try {
  main()
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
