/** Mails in the console: a template written, looked at with a record, taken back; messages sent again; addresses that get none. */
import { expect } from 'chai'
import { ADMIN, consoleSuite, inspect, makePerson, openConsole, type Console } from './browser.ts'

consoleSuite('the console: mails', function () {
  this.timeout(60_000)
  let console: Console
  let tenant: string
  before(async () => {
    console = await openConsole()
    await makePerson(console.service, 'Vic', ['viewer'])
    const ada = await console.service.create('tenant', { Name: 'Ada', Email: 'ada@example.com' })
    tenant = ada.Id
  })
  after(() => console?.discard())

  it('writes a template, shows it with a record, and makes an earlier version the next', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await console.service.create('servicerequest', { Subject: 'A <b>leak</b>', Tenant: tenant })
    await visit.open('/')
    await page.getByRole('link', { name: 'Mails' }).click()
    await page.getByText('There are no templates yet').waitFor()
    await page.getByRole('link', { name: 'New template' }).click()
    await page.getByLabel('Name').fill('A request')
    await page.getByLabel('Trigger').selectOption('service-request-created')
    await page.getByLabel('Subject').fill('New: {{Subject}}')
    await page.getByLabel('Body (HTML)').fill('<p style="color: #005a00">')
    await page.getByLabel('Insert a tag').selectOption('Subject')
    await page.getByLabel('Body (HTML)').press('End')
    await page.keyboard.insertText('</p><p>{{Nowhere}}</p>')
    await inspect(visit, 'template-new')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'A request' }).waitFor()
    await page.getByRole('tab', { name: 'Preview' }).click()
    await page.getByRole('combobox', { name: 'With the values of: Service request' }).click()
    await page.getByRole('option').first().click()
    await page.getByTestId('subject').getByText('New: A <b>leak</b>').waitFor()
    const mail = page.frameLocator('iframe[title="The mail"]')
    const line = mail.getByText('A <b>leak</b>')
    await line.waitFor()
    const color = "getComputedStyle(document.querySelector('p')).color"
    expect(await page.frames()[1]!.evaluate(color)).to.equal('rgb(0, 90, 0)')
    await page.getByText('Without a value: Nowhere').waitFor()
    await inspect(visit, 'template-preview')
    await page.getByRole('button', { name: 'Send it to me as a test' }).click()
    await page.getByText('The test is on its way to you.').waitFor()
    await page.getByRole('tab', { name: 'Edit' }).click()
    await page.getByLabel('Subject').fill('Changed: {{Subject}}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('version 2').waitFor()
    await page.getByRole('status').filter({ hasText: 'Nowhere' }).waitFor()
    await page.getByRole('tab', { name: 'Versions' }).click()
    await page.getByText('New: {{Subject}}').waitFor()
    await inspect(visit, 'template-versions')
    await page.getByRole('button', { name: 'Make it so again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make it so again' }).click()
    await page.getByText('version 3').waitFor()
    expect(await page.getByLabel('Subject').inputValue()).to.equal('New: {{Subject}}')
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('writes a layout, and has it around the body of a template, also after that is saved again', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open('/templates?tab=layouts')
    await page.getByText('There are no layouts yet').waitFor()
    await page.getByRole('button', { name: 'New layout' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('House')
    await dialog.getByLabel('Body (HTML)').fill('<p>Harbour Ltd</p>')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Body (HTML)').fill('<p>Harbour Ltd</p>{{content}}')
    await inspect(visit, 'layout-new')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('rowheader', { name: 'House' }).waitFor()
    await inspect(visit, 'layouts')
    const texts = {
      name: 'Framed',
      trigger: 'service-request-created',
      subject: 'S',
      body: '<p>{{Subject}}</p>',
    }
    const made = await console.service.post('notifications/templates', { template: texts })
    const { Id } = made.data['template'] as { Id: string }
    await visit.open(`/templates/${Id}`)
    await page.getByLabel('Layout').selectOption('House')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('version 2').waitFor()
    await page.getByLabel('Subject').fill('Another')
    await page.getByLabel('Subject').press('Enter')
    await page.getByText('version 3').waitFor()
    const [stored, { list }] = await Promise.all([
      console.service.get(`notifications/templates/${Id}`),
      console.service.get('notifications/layouts'),
    ])
    expect(stored.data['template']).to.include({ layout: list[0]!.Id, subject: 'Another' })
    await visit.open('/templates?tab=layouts')
    await page.getByRole('button', { name: 'Delete House' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Edit House' }).click()
    await dialog.getByLabel('Body (HTML)').fill('<p>Quay 1</p>{{content}}')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /House/ }).getByRole('cell', { name: '2', exact: true }).waitFor()
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  for (const size of ['wide', 'narrow'] as const)
    it(`lists messages, and sends one again (${size})`, async () => {
      const visit = await console.visitAs(ADMIN, size)
      const { page } = visit
      const { Id } = await console.service.create('servicerequest', { Subject: size, Tenant: tenant })
      await visit.open('/templates?tab=messages')
      const link = page.getByRole('link', { name: `…${Id.slice(-6)}` })
      const row = page.getByRole('row', { name: /ada@example.com/ }).filter({ has: link })
      for (let tries = 0; tries < 20 && (await row.count()) === 0; tries++) {
        await page.reload()
        await page.getByLabel('State').waitFor()
        await Promise.race([row.waitFor(), page.waitForTimeout(500)])
      }
      await row.getByRole('button', { name: 'Send again: ada@example.com' }).click()
      await row.filter({ hasText: 'sent' }).getByRole('cell', { name: '2', exact: true }).waitFor()
      await row.getByRole('link', { name: `…${Id.slice(-6)}` }).click()
      await page.getByRole('tab', { name: 'Mails' }).click()
      await page.getByRole('row', { name: /ada@example.com/ }).waitFor()
      await inspect(visit, `record-mails-${size}`)
      await visit.open('/templates?tab=messages')
      await page.getByLabel('State').selectOption('failed')
      await page.getByText('There are no such messages.').waitFor()
      await page.getByLabel('State').selectOption('')
      await page
        .getByRole('row', { name: /ada@example.com/ })
        .first()
        .waitFor()
      await inspect(visit, `messages-${size}`)
      expect(visit.faults()).to.deep.equal([])
      await visit.close()
    })

  it('holds an address back, and writes to it again', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open('/templates?tab=suppressions')
    await page.getByText('Every address is written to.').waitFor()
    await page.getByRole('button', { name: 'Add an address' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail address').fill('gone@example.com')
    await dialog.getByRole('button', { name: 'Add an address' }).click()
    await page.getByRole('rowheader', { name: 'gone@example.com' }).waitFor()
    await inspect(visit, 'suppressions')
    await page.getByRole('button', { name: 'Write to it again: gone@example.com' }).click()
    await dialog.getByRole('button', { name: 'Write to it again' }).click()
    await page.getByText('Every address is written to.').waitFor()
    await page.getByRole('button', { name: 'Show where to' }).click()
    await page.getByLabel('Where to report mails that came back').getByText('/inbound/bounces/').waitFor()
    await inspect(visit, 'bounces')
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('is not there for those who may not', async () => {
    const visit = await console.visitAs({ email: 'vic@example.com', password: ADMIN.password })
    await visit.open('/')
    await visit.page.getByRole('link', { name: 'Contract' }).first().waitFor()
    expect(await visit.page.getByRole('link', { name: 'Mails' }).count()).to.equal(0)
    await visit.close()
  })
})
