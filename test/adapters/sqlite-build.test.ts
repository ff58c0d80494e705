/** A read-model file that was built in one go is the one that following the events would have made, byte for byte. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compareFiles } from '../../scripts/verify/compare-files.ts'
import { buildReadModels } from '../../src/adapters/sqlite/build-read-models.ts'
import { openForWriting } from '../../src/adapters/sqlite/open.ts'
import {
  sqliteProjectionStore,
  type SqliteProjectionStore,
} from '../../src/adapters/sqlite/projection-store.ts'
import { tellMuch } from '../contracts/read-side/random.ts'
import { applyAll, tale, timeline, type TwoSteps } from '../contracts/read-side/tale.ts'
import { sampleDefinitions as definitions } from '../support/sample-definitions.ts'
import { newFolder } from '../support/service.ts'

describe('read models built in one go', () => {
  let folder: string
  before(() => {
    folder = newFolder()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const open = (path: string): SqliteProjectionStore =>
    sqliteProjectionStore({
      db: openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 8 }),
      definitions,
    })

  /** Every tenth step comes twice, as after a crash. */
  const twiceNowAndThen = (steps: readonly TwoSteps[]) =>
    steps.flatMap((step, i) => (i % 10 === 9 ? [step, step] : [step]))

  const story = (seed: number): TwoSteps[] => {
    const time = timeline()
    const steps: TwoSteps[] = []
    for (let company = 0; company < 2; company++) {
      const told = tale({ definitions, time })
      tellMuch(told, seed + company, 60)
      steps.push(...told.untold())
    }
    return steps
  }

  for (const size of [1, 7, 1000])
    it(`are those of following the events ${size} at a time, and go on alike`, async function () {
      this.timeout(30_000)
      const steps = story(size)
      const late = Math.floor(steps.length * 0.8)
      const [followedPath, builtPath] = [
        join(folder, `followed-${size}.db`),
        join(folder, `built-${size}.db`),
      ]
      const followed = open(followedPath)
      await applyAll(followed, twiceNowAndThen(steps), size)
      await followed.settled()
      await followed.close()

      const build = buildReadModels(builtPath, definitions)
      await applyAll(build.store, steps.slice(0, late), size)
      await build.finish()
      const goneOn = open(builtPath)
      await applyAll(goneOn, steps.slice(late), size)
      await goneOn.settled()
      await goneOn.close()

      const tables = compareFiles(followedPath, builtPath)
      expect(
        tables.flatMap(({ table, differences }) => differences.map((line) => `${table}: ${line}`)),
      ).to.deep.equal([])
      expect(tables.some(({ rows }) => rows > 50)).to.equal(true)
    })
})
