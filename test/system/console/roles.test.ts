/** What each role that comes with the service is led to in the console: nothing there is refused to it. */
import { expect } from 'chai'
import { consoleSuite, makePerson, openConsole, type Console, type Visit } from './browser.ts'

const ROLES = [
  ...['viewer', 'auditor', 'approver', 'editor', 'application_manager', 'notification_manager'],
  ...['integration', 'operator'],
]
/** Where the navigation leads. */
const LINKS = "[...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'))"

consoleSuite('the console: roles', function () {
  this.timeout(120_000)
  let console: Console
  let contract: string
  before(async () => {
    console = await openConsole()
    const { service } = console
    const MonthlyRent = { Amount: 900, Currency: 'EUR' }
    contract = (await service.create('contract', { MonthlyRent, StartDate: '2031-01-01' })).Id
    await service.create('bankaccount', { Name: 'Rent' })
  })
  after(() => console?.discard())

  /** What was asked for and refused. */
  const refusalsOf = ({ page }: Visit) => {
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    return refused
  }

  for (const role of ROLES)
    it(`leads ${role} to nothing that is refused`, async () => {
      const visit = await console.visitAs(await makePerson(console.service, role, [role]))
      const { page } = visit
      const refused = refusalsOf(visit)
      await visit.open('/')
      await page.locator('h1').waitFor()
      await page.getByRole('navigation').waitFor()
      const links = await page.evaluate<string[]>(LINKS)
      const some = links.filter((link) => !link.includes('/records/') || /(contract|bankaccount)$/.test(link))
      const pages = some.map((link) => link.replace('/console', ''))
      if (links.some((link) => link.endsWith('/records/contract')))
        pages.push(`/records/contract/${contract}`)
      for (const path of pages) {
        await visit.open(path)
        await page.locator('h1').first().waitFor()
        await page.waitForLoadState('networkidle')
        for (const tab of await page.getByRole('main').getByRole('tab').all()) {
          await tab.click()
          await page.waitForLoadState('networkidle')
        }
      }
      expect(refused, role).to.deep.equal([])
      expect(visit.faults()).to.deep.equal([])
      await visit.close()
    })
})
