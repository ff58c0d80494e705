/** A trigger with a digest, from its file to the mail: what is asked meanwhile, and what each record's history says. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { newFolder, testService, type Data, type TestService } from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'

describe('a digest of a service', () => {
  const definitions = newFolder()
  // It stands still a moment before the window ends, however long requests take.
  const clock = manualClock('2030-01-01T10:14:58.500Z')
  let service: TestService
  before(async () => {
    cpSync('definitions', definitions, { recursive: true })
    const file = join(definitions, 'triggers/workflow/workflow-task-create.json')
    const trigger = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...trigger, digest: { window: '15m' } }))
    service = await testService({ clock, settings: { DEFINITIONS_DIR: definitions } })
    const template = {
      name: 'Task',
      trigger: 'workflow-task-create',
      subject: 'To approve: {{Notes}}',
      body: '<p>{{Notes}} waits</p>',
    }
    await service.post('notifications/templates', { template })
    const Password = 'a long password'
    await service.post('identity/users', {
      Email: 'ann@example.com',
      Name: 'Ann',
      Password,
      Roles: ['approver'],
    })
  })
  after(async () => {
    await service.discard()
    rmSync(definitions, { recursive: true })
  })

  // The administrator gets the same.
  const ofAnn = `filter=${encodeURIComponent("Recipient eq 'ann@example.com'")}`
  const messages = async () => (await service.get(`notifications/messages?pageSize=100&${ofAnn}`)).list
  const mails = () =>
    readdirSync(join(service.dataDir, 'mail'))
      .filter((name) => name.endsWith('.eml') && !name.startsWith('.'))
      .map((name) => readFileSync(join(service.dataDir, 'mail', name), 'utf8'))
      .filter((mail) => mail.includes('To: ann@example.com'))
  const until = async (isSo: (all: readonly Data[]) => boolean): Promise<readonly Data[]> => {
    for (let looks = 0; looks < 500; looks++) {
      const all = await messages()
      if (isSo(all)) return all
      await delay(20)
    }
    throw new Error(JSON.stringify(await messages()))
  }
  const submitted = async (Notes: string) => {
    const rent = { Amount: 1, Currency: 'EUR' }
    const contract = await service.create('contract', { Notes, MonthlyRent: rent, StartDate: '2999-01-01' })
    const answer = await service.post(`contract/${contract.Id}/workflow/submit`)
    expect(answer.status, answer.text).to.equal(200)
    return contract.Id
  }
  const digestIn = (all: readonly Data[]) => all.find((one) => typeof one['Count'] === 'number')

  it('is one mail for all that came, once its window is over; each record says that it was sent', async () => {
    const contracts = [await submitted('Quay'), await submitted('Pier'), await submitted('<Dock>')]
    const gathered = await until((all) => digestIn(all)?.['Count'] === 3 && all.length === 4)
    const digest = digestIn(gathered)!
    expect(digest).to.include({ State: 'due', Recipient: 'ann@example.com', Attempts: 0 })
    for (const one of gathered)
      if (one.Id !== digest.Id) expect(one).to.include({ State: 'gathered', Digest: digest.Id })
    // What is on its way is not sent by hand beside it.
    expect((await service.post(`notifications/messages/${digest.Id}/resend`)).status).to.equal(409)
    clock.pass(2_000)
    await until((all) => digestIn(all)?.['State'] === 'sent')
    const [mail = '', ...others] = mails().map((one) => one.replaceAll('=\r\n', ''))
    expect(others).to.deep.equal([])
    expect(mail).to.contain('Subject: To approve: Quay (+2)')
    for (const said of ['Quay', 'Pier', '&lt;Dock&gt;']) expect(mail).to.contain(`<p>${said} waits</p>`)
    for (const key of contracts) {
      const { list } = await service.get(`contract/${key}/history?include=messages`)
      const sent = list.filter(({ Event }) => Event === 'notification.sent')
      expect(sent.map(({ Message }) => (Message as Data).Id)).to.include(digest.Id)
    }
  })

  it('that begins after it is a mail of its own', async () => {
    await submitted('Later')
    const all = await until((found) => found.filter((one) => one['State'] === 'gathered').length === 4)
    const waiting = all.filter((one) => typeof one['Count'] === 'number' && one['State'] === 'due')
    expect(waiting.map((one) => one['Count'])).to.deep.equal([1])
    expect(mails()).to.have.length(1)
  })
})
