/**
 * `npm run verify -- [folder]`: builds the read models of a service anew from its events and compares them with those that
 * are there. `npm run verify -- --warehouse [folder]` does so with the warehouse, and holds its totals against the log.
 * Prints a report; exit code 1 when they differ, 2 when they could not be compared.
 *
 * `DATA_DIR`, `DEFINITIONS_DIR`, `EVENTSTORE_URL` and `MONGODB_URL` are read as the service reads them. What is kept in files
 * is compared while the service is stopped, what is kept in MongoDB while it runs, whatever is written meanwhile.
 */
import { withInternal } from '../src/compose/parts/definitions.ts'
import { definitionFolders } from '../src/compose/read-start.ts'
import { loadDefinitions } from '../src/definitions/load.ts'
import { commandLine } from './command-line.ts'
import { configOn, FOLDER_USAGE } from './data-folder.ts'
import { sumText } from './verify/totals.ts'
import { verifyReadModels } from './verify/verify-read-models.ts'
import { verifyWarehouse, type VerifyOptions } from './verify/verify-warehouse.ts'
import { messageOf } from '../src/domain/errors.ts'

const USAGE = `usage: npm run verify -- [--warehouse] [folder]

Compares the read models, or with --warehouse the warehouse, with what the events say.
${FOLDER_USAGE}`

async function main(): Promise<number> {
  const { values, positionals } = commandLine(USAGE, {
    options: { warehouse: { type: 'boolean', default: false } },
    positionals: [0, 1],
  })
  const config = configOn(positionals[0])
  const what = {
    dataDir: config.DATA_DIR,
    eventStoreUrl: config.EVENTSTORE_URL,
    mongoUrl: config.MONGODB_URL,
    warehouseUrl: config.WAREHOUSE_URL,
    definitions: withInternal(loadDefinitions(definitionFolders(config))),
  }
  return values.warehouse ? reportWarehouse(what) : reportReadModels(what)
}

/** Where the events are; URLs may hold passwords. */
const logOf = ({ dataDir, eventStoreUrl }: VerifyOptions) => (eventStoreUrl ? 'EventStoreDB' : dataDir)

const rebuild = (projection: string) =>
  `POST /api/v1/projections/${projection}/rebuild has MongoDB's built anew.`

async function reportReadModels(what: VerifyOptions): Promise<number> {
  const { events, tables, differences } = await verifyReadModels(what)
  console.log(`${logOf(what)}: ${events} events`)
  for (const { table, rows, differences: found } of tables)
    if (rows > 0 || found.length > 0)
      console.log(`  ${verdict(found)}  ${String(rows).padStart(9)} rows  ${table}`)
  for (const line of differences) console.log(line)
  console.log(
    differences.length > 0
      ? `The read models differ from what the events say. ${what.mongoUrl ? rebuild('records') : 'Remove the read-models-*.db files to have them rebuilt.'}`
      : 'The read models are what the events say.',
  )
  return differences.length > 0 ? 1 : 0
}

async function reportWarehouse(what: VerifyOptions): Promise<number> {
  const { events, tables, differences } = await verifyWarehouse(what)
  console.log(`${logOf(what)}: ${events} events`)
  let company = ''
  for (const one of tables) {
    const { rows, deleted, sums } = one.totals
    if (rows === 0 && one.differences.length === 0) continue
    if (one.company !== company) console.log((company = one.company))
    console.log(
      `  ${verdict(one.differences)}  ${String(rows).padStart(9)} rows ${String(deleted).padStart(7)} deletes  ${one.table}`,
    )
    for (const [label, sum] of sums) console.log(`${''.padEnd(46)}${label}: ${sumText(sum)}`)
  }
  for (const line of differences) console.log(line)
  console.log(
    differences.length > 0
      ? `The warehouse differs from what the events say. ${what.mongoUrl ? rebuild('warehouse') : 'Remove its files to have them rebuilt.'}`
      : 'The warehouse is what the events say: every row, delete and sum.',
  )
  return differences.length > 0 ? 1 : 0
}

const verdict = (differences: readonly string[]) => (differences.length > 0 ? 'DIFFERS' : 'equal  ')

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(messageOf(error))
    process.exitCode = 2
  },
)
