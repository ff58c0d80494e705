/** Records in the console: found, looked at, changed, decided on, and looked back at. */
import { expect } from 'chai'
import type { TestService } from '../../support/service.ts'
import { addFilter } from './add-filter.ts'
import { ADMIN, consoleSuite, inspect, makePerson, openConsole, type Console, type Visit } from './browser.ts'

const CANARY = `<img src=x onerror="document.title='pwned'">\u202etfel 𝒳 ${'x'.repeat(300)}`

consoleSuite('the console: records', function () {
  this.timeout(60_000)
  let console: Console
  let service: TestService
  let contract: string
  before(async () => {
    console = await openConsole()
    service = console.service
    const zoe = await service.create('tenant', { Name: "Zoë O'Brien", Email: 'zoe@example.com' })
    const ada = await service.create('tenant', { Name: 'Ada Lovelace' })
    await service.create('tenant', { Name: CANARY.slice(0, 190) })
    const rents = Array.from({ length: 40 }, (_, index) => ({
      Tenant: index % 2 ? zoe.Id : ada.Id,
      MonthlyRent: { Amount: 600 + index * 25, Currency: 'EUR' },
      StartDate: '2031-01-01',
      Duration: 12,
      Notes: index === 39 ? CANARY : null,
    }))
    for (const rent of rents) contract = (await service.create('contract', rent)).Id
    await makePerson(service, 'Eve', ['editor'])
    await makePerson(service, 'Vic', ['viewer'])
  })
  after(() => console?.discard())

  const rows = ({ page }: Visit) => page.locator('tbody tr')
  const range = ({ page }: Visit) => page.getByText(/^\d+–\d+ of \d+$/).textContent()

  for (const size of ['wide', 'narrow'] as const)
    it(`finds contracts of a tenant over 1,000 EUR, and the address alone brings them back (${size})`, async () => {
      const visit = await console.visitAs(ADMIN, size)
      const { page } = visit
      await visit.open('/records/contract')
      await rows(visit).first().waitFor()
      await inspect(visit, `records-${size}`)
      await addFilter(page, 'Monthly rent', 'more than', '1000')
      await addFilter(page, 'Tenant name', 'contains', "o'brien")
      await page.getByRole('button', { name: 'Start date' }).click()
      await page.getByText('1–12 of 12').waitFor()
      const address = new URL(page.url())
      expect(address.searchParams.get('filter')).to.equal(
        "MonthlyRent gt 1000 and contains(Tenant/Name, 'o''brien')",
      )
      expect(address.searchParams.get('sort')).to.equal('StartDate')
      await page.reload()
      await page.getByText('1–12 of 12').waitFor()
      await inspect(visit, `filtered-${size}`)
      await page.getByRole('button', { name: 'Remove MonthlyRent gt 1000' }).click()
      await page.getByText('1–20 of 20').waitFor()
      await visit.close()
    })

  it('shows what an address names that is not there, and lets it be removed', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    const filter = encodeURIComponent("Colour eq 'red' and MonthlyRent gt 1000")
    await visit.open(`/records/contract?filter=${filter}&sort=-Shade&flavour=sweet`)
    await page.getByRole('alert').waitFor()
    expect(await rows(visit).count()).to.equal(0)
    await inspect(visit, 'unknown-field')
    const alert = page.getByRole('alert')
    for (const what of ["Colour eq 'red'", 'sort: -Shade', 'flavour=sweet'])
      await alert.getByRole('button', { name: `Remove ${what}` }).click()
    await rows(visit).first().waitFor()
    expect(await range(visit)).to.equal('1–23 of 23')
    await visit.close()
  })

  it('searches, pages, chooses columns and saves what it shows', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open('/records/contract?pageSize=25')
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('26–40 of 40').waitFor()
    await page.getByLabel('Search', { exact: true }).fill('lovelace')
    await page.getByText('1–20 of 20').waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Building', exact: true }).uncheck()
    await page.getByText('More of Tenant').click()
    await page.getByRole('checkbox', { name: 'Tenant email' }).check()
    await page.keyboard.press('Escape')
    const columns = new URL(page.url()).searchParams.get('columns')!.split(',')
    expect(columns).to.include('Tenant/Email')
    expect(columns).not.to.include('Building')
    await page.getByRole('columnheader', { name: 'Tenant email' }).waitFor()
    await page.getByLabel('Search', { exact: true }).fill('')
    await page
      .getByRole('row', { name: /Zoë O'Brien zoe@example\.com/ })
      .first()
      .waitFor()
    await inspect(visit, 'columns-of-lookups')
    await page.getByLabel('Search', { exact: true }).fill('lovelace')
    await page.getByText('1–20 of 20').waitFor()
    await page.getByRole('button', { name: 'Download' }).click()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'These records and columns (CSV)' }).click(),
    ])
    const chunks: Buffer[] = []
    for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer)
    const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\r\n')
    expect(lines).to.have.length(21)
    expect(lines[1]).to.match(/^CON-\d{4}-\d+,Ada Lovelace,/)
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('opens a record by its number from the palette, by keyboard alone, and changes it', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    const { data } = await service.get(`contract/${contract}`)
    await visit.open('/')
    await page.getByRole('heading', { name: 'My company' }).waitFor()
    await page.keyboard.press('Control+k')
    // What is typed before the palette has the focus is lost.
    await page.locator('input:focus').waitFor()
    await page.keyboard.type(data['ContractNumber'] as string)
    await page.getByRole('button', { name: data['ContractNumber'] as string }).waitFor()
    await inspect(visit, 'palette')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: data['ContractNumber'] as string }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    // From the content on: tabs lead to Edit.
    const focused = () => page.evaluate<string>('document.activeElement.textContent')
    for (let tabs = 0; tabs < 20 && (await focused()) !== 'Edit'; tabs++) await page.keyboard.press('Tab')
    expect(await focused()).to.equal('Edit')
    await page.keyboard.press('Enter')
    const rent = page.getByLabel('Monthly rent').first()
    await rent.focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('1811.5')
    await page.getByLabel('Reason').focus()
    await page.keyboard.type('indexation')
    await page.keyboard.press('Enter')
    await page.getByText('1,811.50 EUR').waitFor()
    const history = await service.get(`contract/${contract}/history`)
    expect(history.list.at(-1)).to.deep.include({ Reason: 'indexation' })
    await inspect(visit, 'record')
    await visit.close()
  })

  it('shows what others changed meanwhile, by whom, and loses nothing of the draft', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open(`/records/contract/${contract}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Duration').fill('36')
    await service.patch(`contract/${contract}`, { Duration: 24, LeaseType: 'Renewal' })
    await page.getByRole('button', { name: 'Save' }).click()
    const alert = page.getByRole('alert').filter({ hasText: 'Someone else has changed this record' })
    await alert.getByRole('row', { name: /Duration.*12 months.*24 months.*36 months/ }).waitFor()
    await alert.getByText('bootstrap').waitFor()
    await inspect(visit, 'conflict')
    // The draft is there after a reload, too.
    await page.reload()
    expect(await page.getByLabel('Duration').inputValue()).to.equal('36')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('36 months').waitFor()
    expect((await service.get(`contract/${contract}`)).data).to.include({
      Duration: 36,
      LeaseType: 'Renewal',
    })
    expect(await page.evaluate('sessionStorage.length')).to.equal(0)
    await visit.close()
  })

  it('says what is wrong beside the field, and makes a record with a lookup found by words', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open('/records/contract/new')
    await page.getByLabel('Start date').fill('2020-01-01')
    await page.getByLabel('Monthly rent').first().fill('900')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/must be in the future/).waitFor()
    await inspect(visit, 'new-record')
    await page.getByLabel('Start date').fill('2032-05-01')
    await page.getByRole('combobox', { name: 'Tenant' }).fill('zoe')
    await page.getByRole('option', { name: "Zoë O'Brien" }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: /^CON-/ }).waitFor()
    await page.getByRole('link', { name: "Zoë O'Brien" }).waitFor()
    await visit.close()
  })

  it('takes actions with a comment, and says why others cannot be taken', async () => {
    const eve = await console.visitAs({ email: 'eve@example.com', password: ADMIN.password })
    const { page } = eve
    await eve.open(`/records/contract/${contract}`)
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByLabel('Comment').fill('signed by both')
    await page.getByRole('dialog').getByRole('button', { name: 'Submit' }).click()
    await page.getByText('Pending approval').first().waitFor()
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.hover()
    await page.getByRole('tooltip').getByText('workflow:approve contract is not granted to you').waitFor()
    await approve.click({ force: true })
    await page.mouse.move(10, 400)
    await page.getByRole('tooltip').waitFor({ state: 'hidden' })
    await inspect(eve, 'workflow')
    expect((await service.get(`contract/${contract}`)).data).to.include({ Status: 'PendingApproval' })
    await eve.close()
  })

  it('has the history with diffs, and the record as it was', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open(`/records/contract/${contract}?tab=history`)
    await page.getByText('“signed by both”').waitFor()
    await page.getByText('Submitted').waitFor()
    await page.getByLabel('Compare version').selectOption('1')
    await page.getByRole('table', { name: 'with version' }).getByText('36 months').waitFor()
    await inspect(visit, 'history')
    await page.getByRole('button', { name: 'version 1', exact: true }).click()
    await page.getByText(/^As of .*it cannot be changed/).waitFor()
    expect(new URL(page.url()).searchParams.get('asOf')).to.equal('1')
    await page.getByText('1,575.00 EUR').waitFor()
    expect(await page.getByRole('button', { name: 'Edit' }).count()).to.equal(0)
    await inspect(visit, 'as-of')
    await page.getByRole('slider').focus()
    await page.keyboard.press('End')
    await page.getByRole('button', { name: 'Edit' }).waitFor()
    await visit.close()
  })

  it('shows a viewer nothing that would be refused, and every value as text', async () => {
    const vic = await console.visitAs({ email: 'vic@example.com', password: ADMIN.password }, 'narrow')
    const { page } = vic
    await vic.open('/')
    await page.getByRole('heading', { name: 'My company' }).waitFor()
    expect(await page.getByText('API Tokens').count()).to.equal(0)
    await vic.open('/records/contract')
    await rows(vic).first().waitFor()
    for (const name of ['New', 'As of …'])
      expect(await page.getByRole('button', { name, exact: true }).count()).to.equal(0)
    await vic.open(`/records/contract/${contract}`)
    await page.getByText('onerror').waitFor()
    for (const name of ['Edit', 'Actions of'])
      expect(await page.getByRole('button', { name }).count()).to.equal(0)
    expect(await page.getByRole('tab', { name: 'History' }).count()).to.equal(0)
    await inspect(vic, 'viewer-narrow')
    await vic.open('/records/tenant')
    await rows(vic).first().waitFor()
    await inspect(vic, 'canary-narrow')
    expect(await page.title()).not.to.include('pwned')
    await vic.close()
  })
})
