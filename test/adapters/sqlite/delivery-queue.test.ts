/** The embedded delivery queue: the contract, and what time and the disk may do to it. */
import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteDeliveryQueue } from '../../../src/adapters/sqlite/queue/delivery-queue.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import type { DeliveryQueue } from '../../../src/ports/delivery-queue.ts'
import { deliveryQueueContract } from '../../contracts/delivery-queue.ts'

const HOUR = 3_600_000
const delivery = (id: string) => ({ id, endpoint: 'webhook-1', company: 'company-1' })

describe('the delivery queue on SQLite', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'daybook-deliveries-'))
    path = join(folder, 'deliveries.db')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  deliveryQueueContract({
    adapter: {
      module: import.meta.resolve('../../../src/adapters/sqlite/queue/delivery-queue.ts'),
      opens: 'sqliteDeliveryQueue',
    },
    newPlace: async (settings) => ({ path, leaseMs: 400, ...settings }),
  })

  describe('over changes of the clock', () => {
    let wall: number
    let queue: DeliveryQueue
    const open = () =>
      sqliteDeliveryQueue({
        path,
        onTrouble: (message, error) => expect.fail(`${message}: ${String(error)}`),
        clock: { now: () => wall, elapsed: () => performance.now() },
      })
    const handedBy = (queue: DeliveryQueue) => {
      const handed: string[] = []
      queue.consume({
        concurrency: 5,
        handle: async ({ id }) => {
          handed.push(id)
          return 'done'
        },
        abandoned: async () => {},
      })
      return handed
    }
    beforeEach(() => {
      wall = Date.parse('2026-03-01T09:30:00Z')
      queue = open()
    })
    afterEach(() => queue.close())

    it('hands over nothing early when the clock is set forward', async () => {
      await queue.enqueue([{ ...delivery('tomorrow'), delayMs: 24 * HOUR }])
      wall += 48 * HOUR
      await queue.enqueue([delivery('now')])
      const handed = handedBy(queue)
      while (handed.length === 0) await sleep(5)
      expect(handed).to.deep.equal(['now'])
    })

    it('hands over in time when the clock is set back, also by a restart', async () => {
      await queue.enqueue([{ ...delivery('soon'), delayMs: 200 }])
      wall -= 1_000 * HOUR
      await queue.close()
      queue = open()
      const handed = handedBy(queue)
      while (handed.length === 0) await sleep(5)
    })

    it('goes on with a delay while the service is off', async () => {
      await queue.enqueue([{ ...delivery('in an hour'), delayMs: HOUR }])
      await queue.close()
      wall += HOUR
      queue = open()
      const handed = handedBy(queue)
      while (handed.length === 0) await sleep(5)
    })
  })

  it('says Unavailable while the file cannot be written, and goes on when it can', async () => {
    const troubles: string[] = []
    const queue = sqliteDeliveryQueue({ path, onTrouble: (message) => troubles.push(message) })
    await queue.enqueue([delivery('before')])
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const failure = await queue.enqueue([delivery('meanwhile')]).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(Unavailable)

    const handed: string[] = []
    queue.consume({
      concurrency: 1,
      handle: async ({ id }) => {
        handed.push(id)
        return 'done'
      },
      abandoned: async () => {},
    })
    while (troubles.length === 0) await sleep(5)
    expect(handed).to.be.empty
    other.exec('ROLLBACK')
    other.close()
    await queue.enqueue([delivery('after')])
    while (handed.length < 2) await sleep(5)
    expect(handed).to.deep.equal(['before', 'after'])
    await queue.close()
  })

  it('keeps working at what takes longer than a lease, without handing it over twice', async () => {
    const queue = sqliteDeliveryQueue({ path, leaseMs: 90, onTrouble: () => {} })
    await queue.enqueue([delivery('slow')])
    let handed = 0
    const { stop } = queue.consume({
      concurrency: 3,
      handle: async () => {
        handed++
        await sleep(500)
        return 'done'
      },
      abandoned: async () => {},
    })
    while (handed === 0) await sleep(5)
    await stop()
    expect(handed).to.equal(1)
    expect(await queue.status()).to.deep.equal({ state: 'open', waiting: 0, abandoned: 0 })
    await queue.close()
  })
})
