/** The inbox in `inbox.db`. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { sqliteInbox } from '../../../src/adapters/sqlite/inbox/inbox.ts'
import { inboxContract, racingInboxContract } from '../../contracts/inbox.ts'
import { newFolder } from '../../support/service.ts'

describe('the inbox in a file', () => {
  let folder: string
  before(() => (folder = newFolder()))
  after(() => rmSync(folder, { recursive: true }))

  inboxContract(async () => sqliteInbox(join(folder, 'inbox.db')))
  racingInboxContract(async () => sqliteInbox(join(folder, 'racing.db')))

  it('has due again what a process had taken that died', async () => {
    const path = join(folder, 'left.db')
    const row = { company: 'company-a', integration: 'integration-a', entry: 'events', payload: 'x' }
    const before = sqliteInbox(path)
    await before.keep([{ ...row, id: 'a', source: 'a', receivedAt: 1, state: 'stored' }])
    const take = { now: 1, until: 1_000, limit: 9, except: [] }
    expect(await before.take(take)).to.have.length(1)
    await before.close()
    const after = sqliteInbox(path)
    expect(await after.take(take)).to.have.length(1)
    await after.close()
  })
})
