/** SQL of other engines, asked of a service whose warehouse is on PostgreSQL. */
import { foreignSqlContract } from '../../contracts/foreign-sql.ts'
import { NO_POSTGRES, postgresUnderTest } from '../../engines/postgres-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'

const postgres = postgresUnderTest()
const suite = suiteOf('SQL of other engines on PostgreSQL', postgres ? undefined : NO_POSTGRES)

suite(`SQL of other engines on ${postgres?.name ?? 'PostgreSQL'}`, function () {
  this.timeout(60_000)
  whileRunning(postgres!)
  foreignSqlContract('postgres', async () => ({ WAREHOUSE_URL: await postgres!.server().newDatabase() }))
})
