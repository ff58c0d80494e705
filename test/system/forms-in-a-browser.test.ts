/** The form of docs/integrations/leads.md on a page of another site, in a browser. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { chromium as playwright, type Browser, type Page } from 'playwright-core'
import { chromium } from '../engines/chromium/binary.ts'
import { suiteOf } from '../engines/suite-of.ts'
import { testService, type Data, type TestService } from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'
import { eventually } from './support/eventually.ts'

const suite = suiteOf(
  'a form of a website in a browser',
  chromium === undefined ? 'npm run engines:install installs Chromium' : undefined,
)

suite('a form of a website, in a browser', function () {
  this.timeout(60_000)
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  let service: TestService
  let form: Data
  let site: Server
  let siteUrl: string
  let browser: Browser

  before(async () => {
    service = await testService({ clock })
    form = (await service.post('integrations', { Definition: 'website-form' })).data
    await service.post(`integrations/${form.Id}/start`)
    const page = `<!doctype html><meta charset="utf-8"><title>Flats</title>${documented()}`
    site = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page)
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/flats`
    browser = await playwright.launch({
      executablePath: chromium!,
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    })
  })
  after(async () => {
    await browser?.close()
    site?.closeAllConnections()
    site?.close()
    await service.discard()
  })

  /** As the page says, with the address of this service. */
  const documented = () => {
    const docs = readFileSync(new URL('../../docs/integrations/leads.md', import.meta.url), 'utf8')
    const html = /```html\n(?<html>[\s\S]*?)```/.exec(docs)?.groups?.['html'] ?? ''
    expect(html).to.contain('https://records.example.com')
    return html.replaceAll('https://records.example.com', service.url).replaceAll('integration-…', form.Id)
  }

  const fill = async (page: Page, name: string) => {
    await page.goto(siteUrl)
    await page.locator('[name=name]').fill(name)
    await page.locator('[name=email]').fill(`${name.toLowerCase()}@example.com`)
    await page.locator('[name=message]').fill('Two rooms?')
  }
  const sent = async (page: Page) => {
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Thank you').waitFor()
  }
  const leads = async (name: string) => (await service.list('lead', { filter: `Name eq '${name}'` })).list
  const inbox = async (state: string) => (await service.list(`integrations/${form.Id}/inbox`, { state })).list

  it('becomes a lead, of a page that the service knows nothing of', async () => {
    const page = await browser.newPage()
    const refused: string[] = []
    page.on('requestfailed', (request) => refused.push(request.url()))
    await fill(page, 'Ann')
    await page.locator('[name=consent]').check()
    // What the script adds once it has answered the challenge. Then a person has taken some time.
    await page.locator('[name=daybook-answer]').waitFor({ state: 'attached' })
    clock.pass(5_000)
    await sent(page)
    const lead = await eventually('the lead', async () => {
      const [found] = await leads('Ann')
      expect(found).not.to.equal(undefined)
      return found!
    })
    expect(lead).to.include({ Email: 'ann@example.com', Message: 'Two rooms?', ConsentToMarketing: true })
    expect(lead['ConsentText']).to.equal('You may write to me about other offers.')
    expect(refused).to.deep.equal([])
    await page.close()
  })

  it('is set aside, and answered the same, where no script runs', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await fill(page, 'Bea')
    await sent(page)
    await eventually('it is set aside', async () => expect(await inbox('quarantined')).to.have.length(1))
    expect(await leads('Bea')).to.be.empty
    const [row] = await inbox('quarantined')
    await service.post(`integrations/${form.Id}/inbox/${row!.Id}/retry`)
    await eventually('the lead', async () => expect(await leads('Bea')).to.have.length(1))
    await context.close()
  })
})
