/**
 * A trigger writes messages for what is imported only when it says so; a storm of them is held, not lost. `STORM_ROWS`: how many
 * rows are imported, 3 unless given.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { imported } from '../imports/import-support.ts'
import { newFolder, testService, type TestService } from '../support/service.ts'

const ROWS = Number(process.env['STORM_ROWS'] ?? 3)
const AN_HOUR = 2
const PIECE = 500

/** A file with a row for each of so many tenants, each with an address of their own. */
async function fileFor(service: TestService): Promise<string> {
  const rows: string[] = []
  for (let from = 0; from < ROWS; from += PIECE) {
    const Records = Array.from({ length: Math.min(PIECE, ROWS - from) }, (_, at) => ({
      Name: 'T',
      Email: `tenant-${from + at}@example.com`,
    }))
    const { list } = await service.post('tenant/batch', { Records })
    rows.push(...list.map(({ Id }) => `Of ${Id},${Id}`))
  }
  return `Subject,Tenant\n${rows.join('\n')}\n`
}

const template = {
  name: 'R',
  trigger: 'service-request-created',
  subject: '{{Subject}}',
  body: '<p>x</p>',
}

describe('a trigger during an import', () => {
  const definitions = newFolder()
  let service: TestService
  beforeEach(() => cpSync('definitions', definitions, { recursive: true }))
  afterEach(async () => {
    await service.discard()
    rmSync(definitions, { recursive: true })
  })

  /** How many messages there are, or how many in a state. */
  async function messages(State?: string): Promise<number> {
    const filter = State === undefined ? '' : `&filter=${encodeURIComponent(`State eq '${State}'`)}`
    return (await service.get(`notifications/messages?pageSize=1${filter}`)).pagination.TotalRecords
  }

  /** Looks again until it is so; the assertion after it says what was found instead. */
  async function until(holds: () => Promise<boolean>): Promise<void> {
    for (let looks = 0; looks < 300 + 100 * ROWS && !(await holds()); looks++) await delay(20)
  }

  it('writes no messages for rows, and one for what is created by hand', async () => {
    service = await testService()
    await service.post('notifications/templates', { template })
    const done = await imported(service, 'servicerequest/import?commit=true', await fileFor(service))
    expect(done['Counts'], JSON.stringify(done)).to.include({ Created: ROWS })
    const { Id: Tenant } = await service.create('tenant', { Name: 'T', Email: 'ann@example.com' })
    await service.create('servicerequest', { Subject: 'By hand', Tenant })
    await until(async () => (await messages()) > 0)
    const { list } = await service.get('notifications/messages')
    expect(list.map(({ Recipient }) => Recipient)).to.deep.equal(['ann@example.com'])
  })

  it('writes one for each row with duringImport: send, and sends as many an hour as may be', async () => {
    const file = join(definitions, 'triggers/facility-management/service-request-created.json')
    const trigger = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...trigger, duringImport: 'send' }))
    service = await testService({
      settings: { DEFINITIONS_DIR: definitions, MAIL_RATE_PER_HOUR: String(AN_HOUR) },
    })
    await service.post('notifications/templates', { template })
    const done = await imported(service, 'servicerequest/import?commit=true', await fileFor(service))
    expect(done['Counts'], JSON.stringify(done)).to.include({ Created: ROWS })
    const found = async () => [await messages('due'), await messages('sent')]
    const expected = [ROWS - AN_HOUR, AN_HOUR]
    await until(async () => (await found()).join() === expected.join())
    expect(await found()).to.deep.equal(expected)
    const { list } = await service.get('notifications/messages?pageSize=100')
    const recipients = list.map(({ Recipient }) => Recipient as string)
    expect(new Set(recipients).size).to.equal(Math.min(ROWS, 100))
    for (const one of recipients) expect(one).to.match(/^tenant-\d+@example\.com$/)
  })
})
