/** A read-model file that was built in one go is the one that following the events would have made, byte for byte. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { compareFiles } from '../../../scripts/verify/compare-files.ts'
import { buildReadModels } from '../../../src/adapters/sqlite/read-models/build-read-models.ts'
import { searchPathBeside } from '../../../src/adapters/sqlite/read-models/generation.ts'
import { openForWriting } from '../../../src/adapters/sqlite/files/open.ts'
import {
  sqliteProjectionStore,
  type SqliteProjectionStore,
} from '../../../src/adapters/sqlite/read-models/projection-store.ts'
import { searchBeside } from '../../../src/adapters/sqlite/read-models/search/search-beside.ts'
import { tellMuch } from '../../contracts/read-side/random.ts'
import { applyAll, tale, timeline, type TwoSteps } from '../../contracts/read-side/tale.ts'
import { sampleDefinitions as definitions } from '../../support/sample-definitions.ts'
import { newFolder } from '../../support/service.ts'

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

  const searches = [
    { made: 'in the same thread', worthThread: Infinity },
    { made: 'by a second thread', worthThread: 0 },
  ]
  for (const { made, worthThread } of searches)
    for (const size of [1, 7, 1000])
      it(`are those of following the events ${size} at a time, and go on alike, searched ${made}`, async function () {
        this.timeout(30_000)
        const steps = story(size)
        const late = Math.floor(steps.length * 0.8)
        const [followedPath, builtPath] = [
          join(folder, `followed-${size}-${worthThread}.db`),
          join(folder, `built-${size}-${worthThread}.db`),
        ]
        const followed = open(followedPath)
        await applyAll(followed, twiceNowAndThen(steps), size)
        await followed.settled()
        await followed.close()

        const build = buildReadModels({ path: builtPath, definitions, worthThread })
        await applyAll(build, steps.slice(0, late), size)
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

  it('leave nothing of a build that was cut short', async () => {
    const empty = newFolder()
    const path = join(empty, 'cut.db')
    const build = buildReadModels({ path, definitions, worthThread: 0 })
    await applyAll(build, story(3))
    expect(readdirSync(empty)).to.deep.equal(['cut.db'])
    writeFileSync(searchPathBeside(path), 'of an earlier build')
    await build.abandon()
    expect(readdirSync(empty)).to.deep.equal([])
    rmSync(empty, { recursive: true })
  })

  it('say why the second thread cannot make the search', async () => {
    const path = join(folder, 'damaged.db')
    const build = buildReadModels({ path, definitions, worthThread: Infinity })
    await applyAll(build, story(4))
    await build.finish()
    const damaged = new DatabaseSync(path)
    damaged.exec("UPDATE record_tenant SET document = 'no JSON' WHERE n = (SELECT max(n) FROM record_tenant)")
    const beside = await searchBeside(path, definitions)
    expect(await rejection(beside.takeOver(damaged))).to.match(/JSON/)
    await beside.abandon()
    damaged.close()
    writeFileSync(path, 'no database at all, however long this line is')
    expect(await rejection(searchBeside(path, definitions))).to.match(/not a database/)
  })
})

const rejection = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing went wrong',
    (error: unknown) => String(error),
  )
