/** What is looked at once more sends nothing once more: rebuilds, and stores of timers and deliveries that were lost. */
import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { testService, type TestService } from '../support/service.ts'

describe('mails that were sent', () => {
  let service: TestService
  const mails = () => readdirSync(join(service.dataDir, 'mail')).filter((name) => name.endsWith('.eml'))
  const messages = async () => (await service.get('notifications/messages')).list
  const until = async (isSo: () => Promise<boolean>) => {
    for (let looks = 0; looks < 300; looks++) {
      if (await isSo()) return
      await delay(20)
    }
    throw new Error(JSON.stringify([(await messages()).map((one) => one), service.logged]))
  }
  const caughtUp = () =>
    until(async () => {
      const { list } = await service.get('projections')
      return list.every(({ State, Lag }) => State === 'live' && Lag === 0)
    })

  before(async () => {
    service = await testService()
    const template = {
      name: 'R',
      trigger: 'service-request-created',
      subject: 'S',
      body: '<p>{{Subject}}</p>',
    }
    await service.post('notifications/templates', { template })
    const tenant = await service.create('tenant', { Name: 'Zoë', Email: 'zoe@example.com' })
    await service.create('servicerequest', { Subject: 'A tap drips', Tenant: tenant.Id })
    await until(async () => (await messages()).some(({ State }) => State === 'sent'))
    // Who would be written to, had it happened now.
    const Password = 'a long password'
    const manager = { Email: 'new@example.com', Name: 'New', Password, Roles: ['application_manager'] }
    await service.post('identity/users', manager)
    expect(mails()).to.have.length(1)
  })
  after(() => service.discard())

  it('are not sent again by a rebuild of what follows the events', async () => {
    const names = (await service.get('projections')).list.map(({ Name }) => Name as string)
    const timers = names.filter((name) => name.startsWith('timers.'))
    expect(timers).to.include.members(['timers.contract.expire', 'timers.notify'])
    for (const name of [...timers, 'records']) {
      const answer = await service.post(`projections/${name}/rebuild`)
      expect(answer.status, `${name} ${answer.text}`).to.equal(202)
    }
    await caughtUp()
    expect(mails()).to.have.length(1)
    expect(await messages()).to.have.length(1)
  })

  it('are planned again where the events were put back to an earlier state', async () => {
    const invoice = (DueDate: string) =>
      service.create('invoice', {
        Status: 'Issued',
        TotalAmount: { Amount: 100, Currency: 'EUR' },
        IssueDate: '2030-01-01',
        DueDate,
      })
    await caughtUp()
    await service.stop()
    const [events, before] = ['events.db', 'before.db'].map((name) => join(service.dataDir, name)) as [
      string,
      string,
    ]
    copyFileSync(events, before)
    await service.restart()
    for (const day of ['2030-02-01', '2030-02-02', '2030-02-03']) await invoice(day)
    await caughtUp()
    await service.stop()
    copyFileSync(before, events)
    await service.restart({ WEBHOOKS_AFTER_RESTORE: 'resend' })
    // Its events are where those were that are gone.
    const { Id } = await invoice('2030-03-01')
    await caughtUp()
    const timers = new DatabaseSync(join(service.dataDir, 'timers.db'), { readOnly: true })
    const planned = timers.prepare("SELECT DISTINCT record FROM kept WHERE record LIKE 'invoice-%'").all()
    timers.close()
    expect(planned.map((row) => row['record'])).to.deep.equal([Id])
    expect(mails()).to.have.length(1)
    expect(service.logged.map(({ message }) => message)).to.include(
      'the timers are of another log, and are planned again',
    )
  })

  it('are not sent again where timers and deliveries were lost', async () => {
    await service.stop()
    for (const name of readdirSync(service.dataDir).filter((one) => /^(timers|webhooks)\.db/.test(one)))
      rmSync(join(service.dataDir, name))
    await service.restart()
    await caughtUp()
    // The outbox asks for what is due, and finds that it was sent.
    await until(async () => {
      const { list } = await service.get('projections')
      return list.every(({ Lag }) => Lag === 0)
    })
    expect(mails()).to.have.length(1)
    expect((await messages()).map(({ State, Attempts }) => [State, Attempts])).to.deep.equal([['sent', 1]])
  })

  it('are not sent again where timers and deliveries were put back to an earlier moment', async () => {
    await service.stop()
    const kept = readdirSync(service.dataDir).filter((one) => /^(timers|webhooks)\.db$/.test(one))
    for (const name of kept)
      copyFileSync(join(service.dataDir, name), join(service.dataDir, `${name}.earlier`))
    await service.restart()
    const { list } = await service.get('tenant')
    await service.create('servicerequest', { Subject: 'Another tap', Tenant: list[0]!.Id })
    await until(async () => (await messages()).filter(({ State }) => State === 'sent').length === 3)
    await service.stop()
    for (const name of kept) {
      for (const beside of ['-wal', '-shm'])
        rmSync(join(service.dataDir, `${name}${beside}`), { force: true })
      copyFileSync(join(service.dataDir, `${name}.earlier`), join(service.dataDir, name))
    }
    await service.restart()
    await caughtUp()
    expect(mails()).to.have.length(3)
    expect((await messages()).map(({ State, Attempts }) => [State, Attempts])).to.deep.equal(
      Array.from({ length: 3 }, () => ['sent', 1]),
    )
  })
})
