import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { sqliteOutbox } from '../../../src/adapters/sqlite/outbox/outbox.ts'
import type { Outbox } from '../../../src/ports/outbox.ts'
import { outboxContract } from '../../contracts/outbox.ts'
import { newFolder } from '../../support/service.ts'

describe('the outbox in SQLite', () => {
  it('is on the disk, tables and all, as soon as it is open', async () => {
    const folder = newFolder()
    const path = join(folder, 'webhooks.db')
    const clock = { now: () => 1_800_000_000_000, elapsed: () => 0 }
    const outbox = sqliteOutbox({ path, clock })
    // What a power cut leaves at worst: the file without its log.
    copyFileSync(path, join(folder, 'cut.db'))
    await outbox.close()
    const cut = new DatabaseSync(join(folder, 'cut.db'), { readOnly: true })
    expect(cut.prepare('SELECT position FROM standing').get()).to.deep.include({ position: 0 })
    cut.close()
    rmSync(folder, { recursive: true, force: true })
  })

  outboxContract(async () => {
    const folder = newFolder()
    const path = join(folder, 'webhooks.db')
    let elapsed = 0
    const clock = { now: () => 1_800_000_000_000 + elapsed, elapsed: () => elapsed }
    let open: Outbox = sqliteOutbox({ path, clock })
    return {
      outbox: open,
      pass: (ms) => void (elapsed += ms),
      async reopen() {
        await open.close()
        return (open = sqliteOutbox({ path, clock }))
      },
      async close() {
        await open.close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  })
})
