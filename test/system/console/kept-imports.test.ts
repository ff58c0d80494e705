/** Mappings that are kept, and schedules that pick files up by them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { newFolder } from '../../support/service.ts'
import { ADMIN, companyOf, consoleSuite, inspect, openConsole, type Console } from './browser.ts'

consoleSuite('the console: profiles and schedules of imports', function () {
  this.timeout(90_000)
  let console: Console
  const folder = newFolder()
  before(async () => {
    mkdirSync(join(folder, 'out'))
    writeFileSync(join(folder, 'out', 'tenants.csv'), 'Debiteur\nCarl\n')
    console = await openConsole()
    const company = await companyOf(console.service)
    await console.service.restart({ IMPORT_FOLDERS: `${company}/office=${folder}` })
  })
  after(() => console?.discard())

  it('keeps a mapping, imports by it, and picks files up by it', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    const bring = async (text: string, profile?: string) => {
      await visit.open('/imports?into=tenant')
      const dialog = page.getByRole('dialog')
      if (profile !== undefined) await dialog.getByLabel('Profile').selectOption({ label: profile })
      const file = { name: 'tenants.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
      await dialog.locator('input[type=file]').setInputFiles(file)
    }
    await bring('Debiteur\nAnn\n')
    await page.getByText('Something has to be decided').waitFor()
    await page.getByLabel('Debiteur goes into').selectOption('Name')
    await page.getByRole('button', { name: 'Check with this mapping' }).click()
    await page.getByRole('tab', { name: 'Mapping' }).click()
    await page.getByLabel('Keep this mapping as a profile named').fill('Debtors')
    await page.getByRole('button', { name: 'Keep', exact: true }).click()
    await page.getByText('The profile is kept.').waitFor()
    await inspect(visit, 'profile-keep')
    await bring('Debiteur\nBea\n', 'Debtors')
    await page.getByRole('button', { name: 'Commit' }).waitFor()
    await visit.open('/imports')
    await page.getByRole('link', { name: 'Profiles and schedules' }).click()
    await page.getByRole('rowheader', { name: 'Debtors' }).waitFor()
    await page.getByRole('button', { name: 'New schedule' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name', { exact: false }).first().fill('The office')
    await form.getByLabel('Records of').selectOption('tenant')
    await form.getByLabel('Profile').selectOption({ label: 'Debtors' })
    await form.getByLabel('Runs with the role').selectOption('system_admin')
    await form.getByLabel('Folder', { exact: false }).fill('office')
    await form.getByLabel('Path').fill('out')
    await inspect(visit, 'schedule-new')
    await form.getByRole('button', { name: 'New schedule' }).click()
    await page.getByRole('rowheader', { name: 'The office' }).waitFor()
    await page.getByRole('button', { name: 'Look at the files: The office' }).click()
    await page
      .getByRole('dialog')
      .getByText(/tenants\.csv, 14 bytes/)
      .waitFor()
    await inspect(visit, 'schedule-look')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Run now: The office' }).click()
    await page.getByText('It runs as soon as the scheduler looks.').waitFor()
    await inspect(visit, 'kept-imports')
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
    const narrow = await console.visitAs(ADMIN, 'narrow')
    await narrow.open('/imports/kept')
    await narrow.page.getByRole('rowheader', { name: 'The office' }).waitFor()
    await inspect(narrow, 'kept-imports-narrow')
    await narrow.page.getByRole('button', { name: 'Delete: The office' }).click()
    await narrow.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await narrow.page.getByText('Nothing is picked up by itself yet.').waitFor()
    await narrow.close()
  })
})
