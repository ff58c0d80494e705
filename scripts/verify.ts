/**
 * `npm run verify [DATA_DIR]`: builds the read models of a stopped service anew from its events and compares them with
 * those that are there. Prints a report; exit code 1 when they differ, 2 when they could not be compared.
 *
 * `DATA_DIR` and `DEFINITIONS_DIR` are read as the service reads them.
 */
import { join } from 'node:path'
import { readConfig } from '../src/config.ts'
import { loadDefinitions } from '../src/definitions/load.ts'
import { verifyDataDir } from './verify/verify-data-dir.ts'

async function main(): Promise<number> {
  const config = readConfig(process.env)
  const dataDir = process.argv[2] ?? config.DATA_DIR
  const shipped = join(import.meta.dirname, '..', 'definitions')
  const definitions = loadDefinitions([shipped, ...(config.DEFINITIONS_DIR ? [config.DEFINITIONS_DIR] : [])])
  const { events, tables, differences } = await verifyDataDir(dataDir, definitions)
  console.log(`${dataDir}: ${events} events`)
  for (const { table, rows, differences: found } of tables)
    if (rows > 0 || found.length > 0)
      console.log(`  ${found.length > 0 ? 'DIFFERS' : 'equal  '}  ${String(rows).padStart(9)} rows  ${table}`)
  for (const line of differences) console.log(line)
  console.log(
    differences.length > 0
      ? 'The read models differ from what the events say. Remove the read-models-*.db files to have them rebuilt.'
      : 'The read models are what the events say.',
  )
  return differences.length > 0 ? 1 : 0
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 2
  },
)
