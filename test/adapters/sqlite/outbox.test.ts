import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteOutbox } from '../../../src/adapters/sqlite/outbox/outbox.ts'
import type { Outbox } from '../../../src/ports/outbox.ts'
import { outboxContract } from '../../contracts/outbox.ts'
import { newFolder } from '../../support/service.ts'

describe('the outbox in SQLite', () =>
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
  }))
