/** Actions that a date takes, over HTTP: contracts expire, invoices become overdue, by the clocks of the company. */
import { expect } from 'chai'
import { setTimeout as delay } from 'node:timers/promises'
import { testService, type Data, type TestService } from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'

describe('actions that a date takes', () => {
  const clock = manualClock('2029-12-01T00:00:00.000Z')
  let service: TestService
  let contract: Data
  before(async () => {
    service = await testService({ clock })
    const rent = { Amount: 900, Currency: 'EUR' }
    const body = { MonthlyRent: rent, StartDate: '2030-01-01', EndDate: '2030-06-30', Status: 'Draft' }
    contract = await service.create('contract', body)
    await service.patch(`contract/${contract.Id}`, { Status: 'Active' })
  })
  after(() => service.discard())

  const invoiceOf = (status: string) => {
    const TotalAmount = { Amount: 100, Currency: 'EUR' }
    return service.create('invoice', {
      Status: status,
      TotalAmount,
      IssueDate: '2030-07-01',
      DueDate: '2030-08-01',
    })
  }

  const statusOf = async (object: string, key: string) =>
    (await service.get(`${object}/${key}`)).data['Status'] as string
  /** The service looks every second. */
  const becomes = async (object: string, key: string, status: string) => {
    for (let looks = 0; looks < 100; looks++) {
      if ((await statusOf(object, key)) === status) return
      await delay(100)
    }
    throw new Error(`${key} is ${await statusOf(object, key)}, not ${status}`)
  }

  /** Due the day after it; when it has become overdue, whatever was due before it has been looked at. */
  const lookedAt = async () => {
    const day = new Date(clock.now() - 3 * 86_400_000).toISOString().slice(0, 10)
    const TotalAmount = { Amount: 1, Currency: 'EUR' }
    const one = await service.create('invoice', {
      Status: 'Issued',
      TotalAmount,
      IssueDate: day,
      DueDate: day,
    })
    await becomes('invoice', one.Id, 'Overdue')
  }

  it('refuses a company a time zone that there is not', async () => {
    const { data } = await service.get('identity/me')
    const company = (data['Company'] as { Id: string }).Id
    const path = `identity/companies/${company}`
    expect(
      (await service.patch(path, { TimeZone: 'Europe/Nowhere', Locale: 'Deutsch' })).faults,
    ).to.deep.equal([
      'TimeZone: must be a time zone such as Europe/Berlin or UTC',
      'Locale: must be a language, with a country or without: en, de-AT',
    ])
    const changed = await service.patch(path, { TimeZone: 'Asia/Tokyo', Locale: 'de-AT' })
    expect(changed.data).to.include({ TimeZone: 'Asia/Tokyo', Locale: 'de-AT' })
  })

  it('does it on the day after the last, by the clocks of the company, and says why', async () => {
    // 1 July begins at 15:00 UTC in Tokyo.
    clock.jump('2030-06-30T14:59:59.000Z')
    await lookedAt()
    expect(await statusOf('contract', contract.Id)).to.equal('Active')
    clock.jump('2030-06-30T15:00:00.000Z')
    await becomes('contract', contract.Id, 'Expired')
    const last = service.eventsOf(contract.Id).at(-1)!
    expect(last.type).to.equal('contract.workflow.expired')
    expect(last.reason).to.equal('EndDate was 2030-06-30')
    expect(last.metadata).to.include({ actor: 'daybook', source: 'timer:contract.expire' })
    expect((await service.get(`contract/${contract.Id}/workflow`)).status).to.equal(200)
  })

  it('does it late where the service stood still, also for a date that was put back', async () => {
    const invoice = await invoiceOf('Issued')
    await service.patch(`invoice/${invoice.Id}`, { DueDate: '2030-07-20' })
    await service.stop()
    clock.jump('2030-09-01T00:00:00.000Z')
    await service.restart()
    await becomes('invoice', invoice.Id, 'Overdue')
    const overdue = service.eventsOf(invoice.Id).filter(({ type }) => type === 'invoice.workflow.dunned')
    expect(overdue.map(({ reason }) => reason)).to.deep.equal(['DueDate was 2030-07-20'])
  })

  it('leaves what is not in the right state', async () => {
    const invoice = await invoiceOf('Draft')
    await lookedAt()
    expect(await statusOf('invoice', invoice.Id)).to.equal('Draft')
    await service.post(`invoice/${invoice.Id}/workflow/issue`)
    await becomes('invoice', invoice.Id, 'Overdue')
  })
})
