/** A trigger that says so writes messages for what is imported, too; a storm of them is held, not lost. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { imported } from '../imports/import-support.ts'
import { newFolder, testService, type TestService } from '../support/service.ts'

describe('a trigger with duringImport: send', () => {
  const definitions = newFolder()
  let service: TestService
  before(async () => {
    cpSync('definitions', definitions, { recursive: true })
    const file = join(definitions, 'triggers/facility-management/service-request-created.json')
    const trigger = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...trigger, duringImport: 'send' }))
    service = await testService({ settings: { DEFINITIONS_DIR: definitions, MAIL_RATE_PER_HOUR: '2' } })
  })
  after(async () => {
    await service.discard()
    rmSync(definitions, { recursive: true })
  })

  it('writes one message for each row, once, and sends as many an hour as may be', async () => {
    const template = {
      name: 'R',
      trigger: 'service-request-created',
      subject: '{{Subject}}',
      body: '<p>x</p>',
    }
    await service.post('notifications/templates', { template })
    const addresses = ['ann@example.com', 'bob@example.com', 'cid@example.com']
    const rows = await Promise.all(
      addresses.map(
        async (Email) => `Of ${Email},${(await service.create('tenant', { Name: 'T', Email })).Id}`,
      ),
    )
    const done = await imported(
      service,
      'servicerequest/import?commit=true',
      `Subject,Tenant\n${rows.join('\n')}\n`,
    )
    expect(done['Counts'], JSON.stringify(done)).to.include({ Created: 3 })
    const all = async () => (await service.get('notifications/messages')).list
    const states = async () => (await all()).map(({ State }) => State as string).sort()
    const expected = ['due', 'sent', 'sent']
    for (let looks = 0; looks < 300 && (await states()).join() !== expected.join(); looks++) await delay(20)
    expect(await states()).to.deep.equal(expected)
    expect((await all()).map((one) => one['Recipient'])).to.have.members(addresses)
  })
})
