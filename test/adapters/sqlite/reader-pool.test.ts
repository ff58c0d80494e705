/** Queries whose time is up (quality L7): they end, their thread goes on, and nobody else waits for them. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openForWriting } from '../../../src/adapters/sqlite/files/open.ts'
import {
  isCheap,
  readerPool,
  type ReaderPool,
} from '../../../src/adapters/sqlite/read-models/queries/reader-pool.ts'
import { Invalid, Unavailable } from '../../../src/domain/errors.ts'
import { newFolder } from '../../support/service.ts'

describe('the pool of long queries', () => {
  const folder = newFolder()
  const path = join(folder, 'read-models.db')
  const pools: ReaderPool[] = []

  before(() => openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 8 }).close())
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()))
  })
  after(() => rmSync(folder, { recursive: true }))

  const open = (limitMs: number, threads = 1) => {
    const pool = readerPool({ path, threads, limitMs })
    pools.push(pool)
    return pool
  }
  const numbers = (most: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${most})`
  /** Looks at the time, as all statements of lists do that are run here. */
  const counted = (most: number) => ({
    text: `${numbers(most)} SELECT count(*) FROM n WHERE in_time() = 1`,
    params: [],
  })

  it('answers what ends in time', async () => {
    expect(await open(60_000).run([counted(10_000)])).to.deep.equal([[[10_000]]])
  })

  it('ends what takes longer, and says what would help', async () => {
    const pool = open(50)
    const error = await pool.run([counted(1_000_000_000_000)]).catch((caught: unknown) => caught)
    expect(error).to.be.instanceOf(Invalid)
    expect((error as Invalid).faults).to.deep.equal([
      { Field: 'filter', Message: 'takes longer than 0.05 s; narrow it by a field that is indexed' },
    ])
  })

  it('does not blame a query that a busy machine or disk has held up', () => {
    expect([isCheap(2_000, 2_000), isCheap(500, 2_000), isCheap(150, 2_000)]).to.deep.equal([
      false,
      false,
      true,
    ])
  })

  it('goes on with the next query on the same thread', async () => {
    const pool = open(50)
    const endless = pool.run([counted(1_000_000_000_000)]).catch((caught: unknown) => caught)
    const short = pool.run([{ text: 'SELECT 42', params: [] }])
    expect(await endless).to.be.instanceOf(Invalid)
    expect(await short).to.deep.equal([[[42]]])
  })

  it('lets no more wait than can be served', async () => {
    const pool = open(50)
    const all = await Promise.allSettled(
      Array.from({ length: 600 }, () => pool.run([{ text: 'SELECT 42', params: [] }])),
    )
    const refused = all.filter((one) => one.status === 'rejected')
    expect(refused).to.have.length.within(1, 100)
    for (const { reason } of refused) expect(reason).to.be.instanceOf(Unavailable)
  })
})
