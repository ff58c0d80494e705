/** The bytes of mails: sent again to the letter, and removed when their days are over, while what was sent to whom stays. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { keepMail, keptMail } from '../../src/notifications/sending/kept-mails.ts'
import { memoryFiles } from '../support/memory-files.ts'
import { testService, type TestService } from '../support/service.ts'

const DAY_MS = 86_400_000

describe('the bytes of a mail', () => {
  it('are those that were kept, of the company alone', async () => {
    const files = memoryFiles()
    const { hash } = await keepMail(files, 'company-1', { bytes: Buffer.from('Zoë'), messageId: '<1@x>' })
    const fields = { Hash: hash, MessageId: '<1@x>' }
    const found = await keptMail(files, 'company-1', fields)
    expect([String(found?.bytes), found?.hash, found?.messageId]).to.deep.equal(['Zoë', hash, '<1@x>'])
    expect(await keptMail(files, 'company-2', fields)).to.equal(undefined)
    expect(await keptMail(files, 'company-1', {})).to.equal(undefined)
  })
})

describe('mails of a service with MAIL_KEEP_DAYS', () => {
  let service: TestService
  let ahead = 0
  const clock = { now: () => Date.now() + ahead, elapsed: () => performance.now() }
  const settings = { MAIL_KEEP_DAYS: '30', MAIL_FROM: 'Old <old@example.com>' }
  before(async () => (service = await testService({ settings, clock })))
  after(() => service.discard())

  const message = async () => (await service.get('notifications/messages')).list[0]
  const until = async (find: () => Promise<unknown>) => {
    for (let looks = 0; looks < 300 && !(await find()); looks++) await delay(20)
    expect(await find()).to.be.ok
  }
  const sentTimes = async (attempts: number) => {
    const one = await message()
    return one?.['State'] === 'sent' && one['Attempts'] === attempts
  }
  const company = async () => ((await service.get('identity/me')).data['Company'] as { Id: string }).Id
  const kept = async () =>
    join(service.dataDir, 'files', await company(), (await message())!['Hash'] as string)
  const folder = () => readdirSync(join(service.dataDir, 'mail'))

  it('are sent again as they were, whatever has changed meanwhile', async () => {
    const template = { name: 'R', trigger: 'service-request-created', subject: 'S', body: '<p>x</p>' }
    await service.post('notifications/templates', { template })
    const tenant = await service.create('tenant', { Name: 'Zoë', Email: 'zoe@example.com' })
    await service.create('servicerequest', { Subject: 'A tap', Tenant: tenant.Id })
    await until(() => sentTimes(1))
    const before = readFileSync(await kept(), 'utf8')
    expect(before).to.contain('From: Old <old@example.com>')
    await service.restart({ ...settings, MAIL_FROM: 'New <new@new.example>' })
    await service.post(`notifications/messages/${(await message())!.Id}/resend`)
    await until(() => sentTimes(2))
    expect(readFileSync(await kept(), 'utf8')).to.equal(before)
    expect(folder()).to.have.length(1)
    expect(readFileSync(join(service.dataDir, 'mail', folder()[0]!), 'utf8')).to.equal(before)
  })

  it('are removed when their days are over; that they were sent, and to whom, stays', async () => {
    const file = await kept()
    ahead = 29 * DAY_MS
    await service.restart(settings)
    expect(existsSync(file)).to.equal(true)
    ahead = 31 * DAY_MS
    await until(async () => !existsSync(file) && folder().length === 0)
    expect(await message()).to.include({ State: 'sent', Recipient: 'zoe@example.com', Attempts: 2 })
    expect((await message())!['Hash']).to.match(/^[0-9a-f]{64}$/)
  })
})
