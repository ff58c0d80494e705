/** Timers in `timers.db`. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteTimers } from '../../../src/adapters/sqlite/timers/timers.ts'
import { timersContract } from '../../contracts/timers.ts'
import { newFolder } from '../../support/service.ts'

describe('timers in a file', () => {
  let folder: string
  before(() => (folder = newFolder()))
  after(() => rmSync(folder, { recursive: true }))

  timersContract(async () => sqliteTimers(join(folder, 'timers.db')))
})
