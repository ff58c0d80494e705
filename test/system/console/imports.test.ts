/** A file becomes records in the console: brought, mapped, checked, corrected, committed; sent again, cancelled, taken in part. */
import { expect } from 'chai'
import { ADMIN, consoleSuite, inspect, makePerson, openConsole, type Console } from './browser.ts'

const CONTRACTS = [
  'Tenant name;Monthly rent;Start date;Colour',
  'Ada;1.200,50;01-02-2031;red',
  'Nobody;900,00;01-03-2031;blue',
  'Ada;1.300,00;31-04-2031;green',
  'Ada;800,25;13-04-2031;black',
].join('\n')
const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

consoleSuite('the console: imports', function () {
  this.timeout(60_000)
  let console: Console
  before(async () => {
    console = await openConsole()
    await console.service.create('tenant', { Name: 'Ada' })
    await makePerson(console.service, 'Vic', ['viewer'])
  })
  after(() => console?.discard())

  it('asks what goes where, shows what would be refused and why, and commits the rest', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open('/')
    await page.getByRole('link', { name: 'Imports' }).click()
    await page.getByText('Nothing has been imported yet.').waitFor()
    await page.getByRole('button', { name: 'Import a file' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Records of').selectOption('contract')
    await inspect(visit, 'import-upload')
    await dialog.locator('input[type=file]').setInputFiles(file('contracts.csv', CONTRACTS))
    await page.getByText('Something has to be decided').waitFor()
    await page.getByRole('button', { name: 'Take the suggestions' }).click()
    const goesInto = (column: string) => page.getByLabel(`${column} goes into`)
    expect(await goesInto('Tenant name').inputValue()).to.equal('Tenant')
    expect(await goesInto('Monthly rent').inputValue()).to.equal('MonthlyRent.Amount')
    expect(await goesInto('Start date').inputValue()).to.equal('StartDate')
    await goesInto('Colour').selectOption({ label: 'nothing: leave it out' })
    await page.getByLabel('Currency of Monthly rent').fill('eur')
    await inspect(visit, 'import-mapping')
    await page.getByRole('button', { name: 'Check with this mapping' }).click()
    await page.getByRole('tab', { name: 'Rows' }).waitFor()
    await page.getByRole('row', { name: /Nobody/ }).waitFor()
    await page.getByRole('row', { name: /Start date:.*31-04-2031/ }).waitFor()
    await inspect(visit, 'import-checked')
    await page.getByRole('tab', { name: 'Preview' }).click()
    await page.getByRole('row', { name: /Start date:.*2031-02-01/ }).waitFor()
    await inspect(visit, 'import-preview')
    await page.getByRole('button', { name: 'Commit' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Commit' }).click()
    await page.getByText('completed, with refused rows').waitFor()
    await page.getByRole('tab', { name: 'Rows' }).click()
    await page.getByLabel('Outcome').selectOption('Created')
    await page
      .getByRole('row', { name: /Created/ })
      .nth(1)
      .waitFor()
    await inspect(visit, 'import-completed')
    expect((await console.service.list('contract')).pagination.TotalRecords).to.equal(2)
    await page.getByRole('button', { name: 'Download' }).click()
    const saving = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Refused rows, to correct and bring again (CSV)' }).click()
    expect((await saving).suggestedFilename()).to.match(/^import-.*-errors\.csv$/)
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('tries refused rows again once what they lacked is there', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await console.service.create('tenant', { Name: 'Nobody' })
    await visit.open('/imports')
    await page.getByRole('link', { name: 'contracts.csv' }).click()
    await page.getByRole('button', { name: 'Try refused rows again' }).click()
    await page
      .getByRole('listitem')
      .filter({ hasText: /^3\s*Created$/ })
      .waitFor()
    await page.getByRole('button', { name: 'Try refused rows again' }).waitFor()
    await visit.close()
  })

  it('takes an import back, after it was seen what that does and what it leaves', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    const { list } = await console.service.list('contract', { sort: 'ContractNumber' })
    const changed = await console.service.patch(`contract/${list[0]!.Id}`, { Duration: 24 })
    expect(changed.status, changed.text).to.equal(200)
    await visit.open('/imports')
    await page.getByRole('link', { name: 'contracts.csv' }).click()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'See what it would do' }).click()
    await page.getByRole('row', { name: /Duration/ }).waitFor()
    await inspect(visit, 'import-undo')
    await page.getByRole('button', { name: 'Commit' }).click()
    await page.getByRole('dialog').getByText('2 rows are taken back; 1 are kept.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Commit' }).click()
    await page
      .getByRole('listitem')
      .filter({ hasText: /^2\s*Taken back$/ })
      .waitFor()
    await page.getByRole('link', { name: /^import-/ }).click()
    await page.getByText('undone in part').waitFor()
    expect((await console.service.list('contract')).pagination.TotalRecords).to.equal(1)
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('takes a dropped file on a telephone, knows content that was brought before, and cancels', async () => {
    const visit = await console.visitAs(ADMIN, 'narrow')
    const { page } = visit
    await visit.open('/imports?into=contract')
    const dropped = await page.evaluateHandle(
      `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(CONTRACTS)}], 'again.csv')); return data })()`,
    )
    await page.locator('.drop-place').dispatchEvent('drop', { dataTransfer: dropped })
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/is what import-/).waitFor()
    await inspect(visit, 'import-same-narrow')
    await dialog.getByRole('button', { name: 'Import it once more' }).click()
    await page.getByText('Something has to be decided').waitFor()
    await inspect(visit, 'import-mapping-narrow')
    await page.getByRole('button', { name: 'Cancel the import' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the import' }).click()
    await page.getByText('cancelled').first().waitFor()
    await visit.open('/imports')
    await page.getByRole('row', { name: /again\.csv.*cancelled/ }).waitFor()
    await inspect(visit, 'imports-narrow')
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('is not there for those who may not import', async () => {
    const visit = await console.visitAs({ email: 'vic@example.com', password: ADMIN.password })
    await visit.open('/')
    await visit.page.getByRole('link', { name: 'Contract' }).first().waitFor()
    expect(await visit.page.getByRole('link', { name: 'Imports' }).count()).to.equal(0)
    await visit.close()
  })
})
