/** Messages that are not written or have to wait: imports, too many an hour; and the language of those that are written. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { imported } from '../imports/import-support.ts'
import { testService, type Data, type TestService } from '../support/service.ts'

describe('messages of a service with a limit an hour', () => {
  let service: TestService
  before(async () => {
    service = await testService({ settings: { MAIL_RATE_PER_HOUR: '3' } })
    const company = ((await service.get('identity/me')).data['Company'] as { Id: string }).Id
    await service.patch(`identity/companies/${company}`, { Locale: 'de-AT' })
    for (const [locale, subject] of [
      ['en', 'Your request'],
      ['de', 'Ihre Anfrage'],
      ['nl', 'Uw aanvraag'],
    ] as const)
      await upload({ name: 'Request', trigger: 'service-request-created', subject, locale })
    await upload({ name: 'Task', trigger: 'workflow-task-create', subject: 'A task', locale: 'en' })
  })
  after(() => service.discard())

  const upload = (template: Readonly<Record<string, string>>) =>
    service.post('notifications/templates', { template: { ...template, body: '<p>{{Id}}</p>' } })
  const tenant = (Name: string, PreferredLanguage?: string) =>
    service.create('tenant', {
      Name,
      Email: `${Name}@example.com`,
      ...(PreferredLanguage !== undefined && { PreferredLanguage }),
    })
  const request = async (Name: string, language?: string) =>
    service.create('servicerequest', { Subject: 'A tap drips', Tenant: (await tenant(Name, language)).Id })
  const until = async (find: (messages: readonly Data[]) => Data | undefined): Promise<Data> => {
    for (let looks = 0; looks < 300; looks++) {
      const found = find((await service.get('notifications/messages?pageSize=100')).list)
      if (found) return found
      await delay(20)
    }
    throw new Error((await service.get('notifications/messages')).text)
  }
  const message = (name: string, state: string) =>
    until((all) => all.find((one) => one['Recipient'] === `${name}@example.com` && one['State'] === state))
  const subjectOf = (one: Data) => {
    const file = readdirSync(join(service.dataDir, 'mail')).find((name) => name.includes(one.Id))!
    return /^Subject: (.*?)\r?$/m.exec(readFileSync(join(service.dataDir, 'mail', file), 'utf8'))![1]
  }

  it("are in the recipient's language, else in the company's", async () => {
    for (const [name, language, subject] of [
      ['ned', 'nl', 'Uw aanvraag'],
      ['fay', 'fr', 'Ihre Anfrage'],
      ['zoe', undefined, 'Ihre Anfrage'],
    ] as const) {
      await request(name, language)
      expect(subjectOf(await message(name, 'sent')), name).to.equal(subject)
    }
  })

  it('wait where there were too many, and do not count as tried; those of other triggers go on', async () => {
    await request('ida', 'en')
    await message('ida', 'due')
    await service.post('identity/users', {
      Email: 'ann@example.com',
      Name: 'Ann',
      Password: 'a long password',
      Roles: ['approver'],
    })
    const rent = { Amount: 1, Currency: 'EUR' }
    const contract = await service.create('contract', { MonthlyRent: rent, StartDate: '2999-01-01' })
    await service.post(`contract/${contract.Id}/workflow/submit`)
    await message('ann', 'sent')
    expect(await message('ida', 'due')).to.include({ Attempts: 0 })
  })

  it('are not written for what is imported', async () => {
    const { Id } = await tenant('imp')
    const file = `Subject,Tenant\nImported,${Id}\n`
    const done = await imported(service, 'servicerequest/import?commit=true', file)
    expect(done['Counts'], JSON.stringify(done)).to.include({ Created: 1 })
    await request('later')
    await message('later', 'due')
    const all = (await service.get('notifications/messages?pageSize=100')).list
    expect(all.map((one) => one['Recipient'])).to.not.include('imp@example.com')
  })
})
