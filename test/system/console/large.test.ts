/** The console with much in it: 10,000 contracts, a record of 300 versions. What it asks and draws does not grow with that. */
import { expect } from 'chai'
import { ADMIN, consoleSuite, openConsole, type Console } from './browser.ts'

const CONTRACTS = 10_000
const AT_ONCE = 500
const VERSIONS = 300
/** When the first row of a table is there, in ms since the page was asked for. */
const FIRST_ROW = `new Promise((resolve) => {
  const look = () => document.querySelector('tbody tr') ? resolve(performance.now()) : requestAnimationFrame(look)
  look()
})`

consoleSuite('the console: with much in it', function () {
  this.timeout(180_000)
  let console: Console
  let contract: string
  before(async () => {
    console = await openConsole()
    const { service } = console
    for (let done = 0; done < CONTRACTS; done += AT_ONCE) {
      const Records = Array.from({ length: AT_ONCE }, (_, index) => ({
        MonthlyRent: { Amount: 500 + done + index, Currency: 'EUR' },
        StartDate: '2031-01-01',
      }))
      const { status, list } = await service.post('contract/batch', { Records })
      expect(status).to.equal(200)
      contract = list[0]!.Id
    }
    for (let version = 2; version <= VERSIONS; version++)
      await service.patch(`contract/${contract}`, { Duration: version })
  })
  after(() => console?.discard())

  it(`shows the first of ${CONTRACTS} contracts`, async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    const times: number[] = []
    // The first look compiles what later ones have.
    for (let looks = 0; looks < 4; looks++) {
      await visit.open('/records/contract')
      times.push(await page.evaluate<number>(FIRST_ROW))
    }
    await page.getByText('1–25 of 10,000').waitFor()
    expect(await page.locator('tbody tr').count()).to.equal(25)
    const [first, ...others] = times.map(Math.round)
    globalThis.console.log(`      first records: ${first} ms; again ${others.join(', ')} ms`)
    await page.getByRole('button', { name: 'Monthly rent' }).click()
    await page.getByRole('cell', { name: '500.00 EUR' }).waitFor()
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it(`looks back through ${VERSIONS} versions of a record`, async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open(`/records/contract/${contract}?tab=history`)
    await page.getByText(`version ${VERSIONS}`, { exact: true }).first().waitFor()
    const entries = page.locator('.mantine-Timeline-item')
    expect(await entries.count()).to.equal(50)
    await page.getByRole('button', { name: 'Show 250 earlier changes' }).click()
    await page.getByRole('button', { name: 'Show 50 earlier changes' }).click()
    expect(await entries.count()).to.equal(VERSIONS)
    await page.getByRole('tab', { name: 'Details' }).click()
    await page.getByText(`${VERSIONS} months`).first().waitFor()
    await page.getByRole('slider').focus()
    const times: number[] = []
    for (let back = 1; back <= 5; back++) {
      const begun = performance.now()
      await page.keyboard.press('ArrowLeft')
      await page
        .getByText(`${VERSIONS - back} months`)
        .first()
        .waitFor()
      times.push(Math.round(performance.now() - begun))
    }
    globalThis.console.log(`      the slider answers in ${times.join(', ')} ms`)
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })
})
