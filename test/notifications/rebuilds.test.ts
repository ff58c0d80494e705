/** What is looked at once more sends nothing once more: rebuilds, and stores of timers and deliveries that were lost. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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
})
