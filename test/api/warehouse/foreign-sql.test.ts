/** SQL of other engines, asked of the files of a service. */
import { foreignSqlContract } from '../../contracts/foreign-sql.ts'

describe('SQL of other engines on SQLite', function () {
  this.timeout(60_000)
  foreignSqlContract('sqlite', () => Promise.resolve({}))
})
