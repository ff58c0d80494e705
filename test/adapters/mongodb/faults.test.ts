/**
 * A read model server that dies, comes back, or falls silent. It has to be one that tests may kill: FerretDB, whatever
 * `MONGODB_URL` says.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { mongoProjectionStore } from '../../../src/adapters/mongodb/read-models/projection-store.ts'
import { mongoReadModels } from '../../../src/adapters/mongodb/read-models/read-models.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import type { ReadModels } from '../../../src/ports/read-models.ts'
import { ask, listQuery } from '../../contracts/read-side/ask.ts'
import { tellMuch } from '../../contracts/read-side/random.ts'
import { applyAll, tale, timeline } from '../../contracts/read-side/tale.ts'
import { startFerretDb } from '../../engines/ferretdb/start.ts'
import { hasFerretDb, NO_FERRETDB } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { sampleDefinitions as definitions } from '../../support/sample-definitions.ts'
import { eventually } from '../../system/support/eventually.ts'

const suite = suiteOf('faults of MongoDB', hasFerretDb ? undefined : NO_FERRETDB)

/** Reads fail within 2 s; what a busy machine adds is not the adapter's. */
const BOUND_MS = 3_500

suite('a MongoDB that is in trouble', function () {
  this.timeout(120_000)

  const timed = async (work: Promise<unknown>) => {
    const begin = performance.now()
    const failure = await work.then(
      () => undefined,
      (error: unknown) => error,
    )
    return { failure, ms: performance.now() - begin }
  }
  const expectUnavailable = async (readModels: ReadModels, company: string) => {
    const calls = [
      readModels.get(company, 'tenant', 'tenant-1'),
      readModels.list(company, listQuery(definitions, 'tenant')),
      readModels.list(company, listQuery(definitions, 'contract', { filter: `Tenant/Email eq 'x'` })),
      readModels.status(),
    ]
    for (const { failure, ms } of await Promise.all(calls.map(timed))) {
      expect(failure).to.be.instanceOf(Unavailable)
      expect(ms).to.be.lessThan(BOUND_MS)
    }
    const { failure, ms } = await timed(readModels.reached(1_000_000, 300))
    expect(failure).to.equal(undefined)
    expect(ms).to.be.lessThan(BOUND_MS)
  }

  it('is Unavailable to readers in time while it is gone, and is read again when it is back', async () => {
    let server = await startFerretDb()
    const readModels = await mongoReadModels({ url: server.url, definitions })
    const store = await mongoProjectionStore({ url: server.url, definitions, leaseMs: 1_000 })
    try {
      const story = tale({ definitions, time: timeline() })
      const key = story.create('tenant', { Name: 'Here' })
      await applyAll(store, story.untold())
      await server.kill()
      await expectUnavailable(readModels, story.company)
      story.change(key, { Name: 'Still here' })
      const steps = story.untold()
      expect((await timed(applyAll(store, steps))).failure).to.be.instanceOf(Unavailable)
      server = await startFerretDb({ folder: server.folder, port: Number(new URL(server.url).port) })
      await untilApplied(() => applyAll(store, steps))
      expect(await readModels.get(story.company, 'tenant', key)).to.deep.equal({
        key,
        version: 2,
        json: JSON.stringify(story.served(key)),
      })
    } finally {
      await store.close()
      await readModels.close()
      await server.stop()
    }
  })

  it('is Unavailable to readers in time when it takes connections and says nothing', async () => {
    const server = await startFerretDb()
    const readModels = await mongoReadModels({ url: server.url, definitions })
    const store = await mongoProjectionStore({ url: server.url, definitions })
    try {
      await store.leading()
      const story = tale({ definitions, time: timeline() })
      expect(await ask({ readModels, definitions, company: story.company }, 'tenant')).to.include({
        total: 0,
      })
      process.kill(server.pid, 'SIGSTOP')
      await eventually('it stands still', async () => expect(standsStill(server.pid)).to.equal(true))
      await expectUnavailable(readModels, story.company)
      process.kill(server.pid, 'SIGCONT')
      expect(await readModels.get(story.company, 'tenant', 'tenant-1')).to.equal(undefined)
    } finally {
      await store.close()
      await readModels.close()
      await server.stop()
    }
  })

  it('that is killed again and again while events are applied ends with every record as it must be', async () => {
    let server = await startFerretDb()
    const store = await mongoProjectionStore({ url: server.url, definitions, leaseMs: 1_000 })
    const readModels = await mongoReadModels({ url: server.url, definitions })
    try {
      const story = tale({ definitions, time: timeline() })
      tellMuch(story, 21, 40)
      const tenants = story.live('tenant').map(({ Id }) => Id as string)
      for (const [n, { Id }] of story.live('contract').entries()) {
        story.change(Id as string, { Duration: n + 1 })
        if (n % 6 === 0) story.change(tenants[n % tenants.length]!, { Name: `Renamed ${n}` })
      }
      const steps = story.untold()
      let isDone = false
      const applying = (async () => {
        for (let start = 0; start < steps.length; start += 5)
          await untilApplied(() => applyAll(store, steps.slice(start, start + 5)))
        isDone = true
      })()
      for (let kills = 0; kills < 4 && !isDone; kills++) {
        // At whatever moment this comes to, with some events applied since the last time.
        await readModels.reached(
          steps[Math.floor(((kills + 1) * steps.length) / 6)]!.records.position,
          20_000,
        )
        await server.kill()
        server = await startFerretDb({ folder: server.folder, port: Number(new URL(server.url).port) })
      }
      await applying
      await store.settled()
      expect(await store.position('search')).to.equal(steps.at(-1)!.records.position)
      for (const object of definitions.keys()) {
        const { records } = await ask({ readModels, definitions, company: story.company }, object, {
          sort: 'Id',
        })
        expect(records.map(({ json }) => json)).to.deep.equal(
          story.live(object).map((record) => JSON.stringify(record)),
        )
      }
    } finally {
      await store.close()
      await readModels.close()
      await server.stop()
    }
  })
})

/** As the follower does: trouble of the store is tried again until it passes. */
async function untilApplied(apply: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await apply()
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
    }
  }
}

/** Whether no thread of a process runs any more, as Linux tells it: a signal takes a moment to arrive. */
function standsStill(pid: number): boolean {
  const threads = `/proc/${pid}/task`
  if (!existsSync(threads)) return true
  const stateOf = (thread: string) => /\) (\w)/.exec(readFileSync(join(threads, thread, 'stat'), 'utf8'))?.[1]
  return readdirSync(threads).every((thread) => stateOf(thread) === 'T')
}
