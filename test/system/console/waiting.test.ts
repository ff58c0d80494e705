/** What waits for a person in the console: seen, decided on with a comment, and why one's own submission is not offered. */
import { expect } from 'chai'
import { ADMIN, consoleSuite, inspect, makePerson, openConsole, type Console } from './browser.ts'

consoleSuite('the console: waiting for me', function () {
  this.timeout(60_000)
  let console: Console
  const contracts: { readonly key: string; readonly number: string }[] = []
  before(async () => {
    console = await openConsole()
    const { service } = console
    const ada = await service.create('tenant', { Name: 'Ada Lovelace' })
    for (let index = 0; index < 3; index++) {
      const MonthlyRent = { Amount: 900 + index, Currency: 'EUR' }
      const body = { Tenant: ada.Id, MonthlyRent, StartDate: '2031-01-01', Duration: 12 }
      const made = await service.create('contract', body)
      contracts.push({ key: made.Id, number: made['ContractNumber'] as string })
    }
    for (const { key } of contracts.slice(0, 2)) {
      const { status, text } = await service.post(`contract/${key}/workflow/submit`, {
        Comment: 'please look at it',
      })
      expect(status, text).to.equal(200)
    }
    await makePerson(service, 'Vic', ['viewer'])
  })
  after(() => console?.discard())

  it('approves and rejects what others have submitted, with a comment', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    const [first, second] = contracts
    await visit.open('/')
    await page.getByRole('link', { name: 'Waiting for me' }).click()
    await page.getByRole('row', { name: new RegExp(`${first!.number}.*please look at it`) }).waitFor()
    await inspect(visit, 'waiting')
    await page.getByRole('button', { name: `Approve: ${first!.number}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('900.00 EUR').waitFor()
    await dialog.getByLabel('Comment').fill('as agreed')
    await inspect(visit, 'approve')
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('link', { name: first!.number }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: `Reject: ${second!.number}` }).click()
    await dialog.getByLabel('Comment').fill('too cheap')
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByText('Nothing waits for you.').waitFor()
    const { service } = console
    expect((await service.get(`contract/${first!.key}`)).data).to.include({ Status: 'Active' })
    expect((await service.get(`contract/${second!.key}`)).data).to.include({ Status: 'Rejected' })
    const history = await service.get(`contract/${first!.key}/history`)
    expect(JSON.stringify(history.list.at(-1))).to.include('as agreed')
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('does not offer what one has submitted oneself, and says why on its page', async () => {
    const visit = await console.visitAs(ADMIN, 'narrow')
    const { page } = visit
    const own = contracts[2]!
    await visit.open(`/records/contract/${own.key}`)
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Submit' }).click()
    await page.getByText('Pending approval').first().waitFor()
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    expect(await approve.getAttribute('aria-disabled')).to.equal('true')
    expect(await approve.getAttribute('aria-description')).to.match(/^You made it PendingApproval: someone/)
    await visit.open('/waiting')
    await page.getByText('Nothing waits for you.').waitFor()
    await inspect(visit, 'waiting-narrow')
    await visit.close()
  })

  it('is not there for those who decide on nothing', async () => {
    const visit = await console.visitAs({ email: 'vic@example.com', password: ADMIN.password })
    const { page } = visit
    await visit.open('/')
    await page.getByRole('link', { name: 'Contract' }).first().waitFor()
    expect(await page.getByRole('link', { name: 'Waiting for me' }).count()).to.equal(0)
    await visit.close()
  })
})
