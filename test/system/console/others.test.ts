/** The console beside the records: webhooks, the warehouse, people, and how the service stands. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { ADMIN, consoleSuite, inspect, openConsole, type Console } from './browser.ts'

consoleSuite('the console: webhooks, warehouse, people, operation', function () {
  this.timeout(60_000)
  let console: Console
  let receiver: Server
  let answer = 500
  let received = 0
  before(async () => {
    receiver = createServer((request, response) => {
      received++
      request.resume().on('end', () => response.writeHead(answer).end('as the receiver says'))
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    console = await openConsole({ WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8', WEBHOOK_SCHEDULE: '0s,1h' })
    for (const [name, city] of [
      ['North House', 'Oslo'],
      ['South House', 'Bergen'],
      ['East House', 'Oslo'],
    ] as const)
      await console.service.create('building', { Name: name, City: city })
  })
  after(async () => {
    receiver?.close()
    await console?.discard()
  })

  it('finds out why a webhook fails, and sends again what it missed', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open('/webhooks')
    await page.getByRole('button', { name: 'Create Webhook' }).click()
    const dialog = page.getByRole('dialog')
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    await dialog.getByLabel('Address').fill(url)
    await dialog.getByLabel('Events').fill('building.*')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await dialog.getByRole('button', { name: 'Create Webhook' }).click()
    await dialog.getByTestId('secret').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await inspect(visit, 'webhooks')
    await console.service.create('building', { Name: 'West House', City: 'Oslo' })
    await page.getByRole('link', { name: url }).click()
    await page.getByRole('link', { name: 'building.created' }).waitFor()
    const row = page.getByRole('row', { name: /building\.created/ })
    await row.getByRole('cell', { name: '500' }).waitFor()
    await inspect(visit, 'deliveries')
    answer = 204
    await row.getByRole('link', { name: 'building.created' }).click()
    const delivery = page.getByRole('dialog', { name: 'Delivery' })
    await delivery.getByText('as the receiver says').waitFor()
    await inspect(visit, 'delivery')
    await delivery.getByRole('button', { name: 'Redeliver' }).click()
    await page.keyboard.press('Escape')
    await page.locator('tbody').getByText('delivered').first().waitFor()
    await page.getByRole('button', { name: 'Ping' }).click()
    await page.getByRole('link', { name: 'webhook.ping' }).waitFor()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByTestId('secret').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    await page
      .getByRole('row', { name: /building\.created/ })
      .nth(2)
      .waitFor()
    expect(received).to.be.above(3)
    // The record's own page has it, too.
    await page
      .getByRole('row', { name: /building\.created/ })
      .first()
      .getByRole('link', { name: /^…/ })
      .click()
    await page.getByRole('tab', { name: 'Webhooks' }).click()
    await page
      .getByRole('row', { name: /building\.created/ })
      .first()
      .waitFor()
    expect(await page.getByRole('row', { name: /webhook\.ping/ }).count()).to.equal(0)
    await inspect(visit, 'record-webhooks')
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  for (const size of ['wide', 'narrow'] as const)
    it(`answers a question in SQL as a table, as a chart and from the address (${size})`, async () => {
      const visit = await console.visitAs(ADMIN, size)
      const { page } = visit
      await visit.open('/warehouse')
      const editor = page.getByRole('textbox', { name: 'Question in SQL' })
      await editor.click()
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText(
        'SELECT City, count(*) AS Houses FROM wh_Leasing_Building GROUP BY City ORDER BY City',
      )
      await page.keyboard.press('Control+Enter')
      await page.getByText('2 rows').waitFor()
      await page.getByRole('cell', { name: 'Bergen' }).waitFor()
      await inspect(visit, `warehouse-${size}`)
      await page.getByText('Chart', { exact: true }).click()
      await page.locator('.recharts-bar-rectangle').first().waitFor()
      await inspect(visit, `chart-${size}`)
      expect(new URL(page.url()).searchParams.get('sql')).to.match(/^SELECT City/)
      await page.reload()
      await page.locator('.recharts-bar-rectangle').first().waitFor()
      await visit.open(`/warehouse?sql=${encodeURIComponent('SELECT nothing FROM nowhere')}`)
      await page.getByRole('alert').waitFor()
      expect(visit.faults()).to.deep.equal([])
      await visit.close()
    })

  it('scrolls through fifty thousand rows', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    const sql = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT i, i * 2 AS twice FROM n`
    await visit.open(`/warehouse?sql=${encodeURIComponent(sql)}`)
    await page.getByText('50,000 rows').waitFor()
    const answered = page.getByRole('region', { name: 'Answer' })
    expect(await answered.getByRole('row').count()).to.be.below(60)
    await answered.focus()
    await page.keyboard.press('End')
    await answered.getByRole('cell', { name: '100000' }).waitFor()
    await visit.close()
  })

  it('makes a user, shows what roles allow, and how the service stands', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open('/settings/users')
    await page.getByRole('button', { name: 'Create User' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Grace Hopper')
    await dialog.getByLabel('E-mail address').fill('grace@example.com')
    await dialog.getByLabel(/^Password/).fill('a password for tests')
    await dialog.getByLabel('system_admin').check()
    await inspect(visit, 'create-user')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('rowheader', { name: 'Grace Hopper' }).waitFor()
    await inspect(visit, 'users')
    for (const [path, heading] of [
      ['/settings/roles', 'Roles'],
      ['/companies', 'Companies'],
      ['/projections', 'Projections and health'],
      ['/audit?object=user', 'Audit'],
    ] as const) {
      await visit.open(path)
      await page.getByRole('heading', { name: heading }).waitFor()
      await page.getByRole('rowheader').first().waitFor()
      await inspect(visit, heading.toLowerCase().replaceAll(' ', '-'))
    }
    await visit.close()
  })

  it('speaks Norwegian, everywhere', async () => {
    const visit = await console.visitAs(ADMIN, 'narrow')
    const { page } = visit
    await visit.open('/records/building')
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Norsk bokmål' }).click()
    await page.getByRole('button', { name: 'Legg til filter' }).waitFor()
    expect(await page.evaluate('document.documentElement.lang')).to.equal('nb')
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'hidden' })
    await inspect(visit, 'norwegian-narrow')
    await visit.close()
  })
})
