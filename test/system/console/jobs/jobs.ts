/** The ten jobs, each as a person does it, on a screen of any size. */
import { expect } from 'chai'
import { client } from '../../../support/service.ts'
import { eventually } from '../../support/eventually.ts'
import { addFilter } from '../add-filter.ts'
import { ADMIN, inspect, type Person, type Size, type Visit } from '../browser.ts'
import { receive, type Scene } from './scene.ts'

export interface Job {
  readonly title: string
  /** Who does it. */
  readonly by?: (scene: Scene) => Person
  readonly run: (scene: Scene, visit: Visit, size: Size) => Promise<void>
}

const AS_TEXT = "MonthlyRent gt 1000 and contains(Tenant/Name, 'o''brien')"

export const JOBS: readonly Job[] = [
  { title: 'gives a script access', run: giveAccess },
  { title: 'finds contracts of a tenant over 1,000 EUR', run: findContracts },
  { title: 'sees what happened and why, and what was sent about it', run: seeWhatHappened },
  { title: "sees last quarter's state, of a record and of a list", run: seeThePast },
  { title: 'approves, and is told why not one’s own', by: ({ approver }) => approver, run: approve },
  { title: 'changes safely beside another tab', run: changeSafely },
  { title: 'fixes a failing webhook', run: fixWebhook },
  { title: "sees an integration's trouble", run: seeTrouble },
  { title: 'writes and tests a mail', run: writeMail },
  { title: 'answers a question with numbers', run: answerQuestion },
]

async function go({ page }: Visit, size: Size, link: string) {
  if (size === 'narrow') await page.getByRole('button', { name: 'Navigation' }).click()
  await page.getByRole('navigation').getByRole('link', { name: link, exact: true }).click()
}

async function giveAccess({ service }: Scene, visit: Visit, size: Size) {
  const { page } = visit
  await visit.open('/')
  const begun = Date.now()
  await go(visit, size, 'API Tokens')
  await page.getByRole('button', { name: 'Create Token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(`nightly ${size}`)
  await dialog.getByLabel('system_admin').check()
  await dialog.getByRole('button', { name: 'Create Token' }).click()
  const value = (await dialog.getByTestId('secret').textContent())!
  expect(Date.now() - begun, 'ms').to.be.below(30_000)
  expect((await client(() => service.url, value).get('identity/me')).data['Name']).to.equal(`nightly ${size}`)
  await inspect(visit, `job-1-${size}`)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('rowheader', { name: `nightly ${size}` }).waitFor()
}

async function findContracts(_scene: Scene, visit: Visit, size: Size) {
  const { page } = visit
  await visit.open('/')
  await go(visit, size, 'Contract')
  await addFilter(page, 'Monthly rent', 'more than', '1000')
  await addFilter(page, 'Tenant name', 'contains', "o'brien")
  await page.getByText('1–12 of 12').waitFor()
  expect(new URL(page.url()).searchParams.get('filter')).to.equal(AS_TEXT)
  const address = page.url()
  await page.goto('about:blank')
  await page.goto(address)
  await page.getByText('1–12 of 12').waitFor()
  await inspect(visit, `job-2-${size}`)
}

async function seeWhatHappened(scene: Scene, visit: Visit, size: Size) {
  const { service, integration } = scene
  const { page } = visit
  await receive(scene, { id: size, name: `Eva ${size}`, phone: '1' })
  const tenant = await eventually('the tenant is there', async () => {
    const { list } = await service.list('tenant', { filter: `Name eq 'Eva ${size}'` })
    expect(list).to.have.length(1)
    return list[0]!
  })
  await service.patch(`tenant/${tenant.Id}`, { Phone: '2' }, { 'Daybook-Reason': 'she called' })
  await eventually('it is sent', async () => {
    const { list } = await service.get(`integrations/${integration}/sent?record=${tenant.Id}`)
    expect(list.map(({ State }) => State)).to.deep.equal(['sent'])
  })
  await visit.open(`/records/tenant/${tenant.Id}?tab=history`)
  await page.getByText('“she called”').waitFor()
  const sent = page.getByRole('link', { name: 'Directory' })
  await sent.waitFor()
  await inspect(visit, `job-3-${size}`)
  await page.getByRole('link', { name: 'message received' }).click()
  await page.getByRole('dialog', { name: 'Message' }).getByText(`"Eva ${size}"`).waitFor()
  await page.goBack()
  await page.getByRole('tab', { name: 'Integrations' }).click()
  await page.getByRole('row', { name: /tenant\.updated to Directory sent/ }).waitFor()
  await page.getByRole('row', { name: /tenant\.created from Directory applied/ }).waitFor()
  await inspect(visit, `job-3-integrations-${size}`)
}

async function seeThePast(scene: Scene, visit: Visit, size: Size) {
  const { page } = visit
  const { Id } = await scene.contract({ MonthlyRent: { Amount: 5_001, Currency: 'EUR' } })
  const before = new Date(Date.now() + 1_000).toISOString()
  await page.waitForTimeout(1_100)
  await scene.service.patch(`contract/${Id}`, { MonthlyRent: { Amount: 5_002, Currency: 'EUR' } })
  await visit.open(`/records/contract/${Id}`)
  await page.getByText('5,002.00 EUR').waitFor()
  await page.getByRole('slider').focus()
  await page.keyboard.press('Home')
  await page.getByText('5,001.00 EUR').waitFor()
  await page.getByText(/^As of .*it cannot be changed/).waitFor()
  expect(await page.getByRole('button', { name: 'Edit' }).count()).to.equal(0)
  await inspect(visit, `job-4-${size}`)
  const filter = encodeURIComponent('MonthlyRent gt 5000 and MonthlyRent lt 5002')
  await visit.open(`/records/contract?filter=${filter}&asOf=${before}`)
  await page.getByRole('cell', { name: '5,001.00 EUR' }).first().waitFor()
  await inspect(visit, `job-4-list-${size}`)
}

async function approve(scene: Scene, visit: Visit, size: Size) {
  const { page } = visit
  const theirs = await scene.contract({ MonthlyRent: { Amount: 801, Currency: 'EUR' } })
  await scene.service.post(`contract/${theirs.Id}/workflow/submit`, { Comment: 'please' })
  await visit.open('/')
  await go(visit, size, 'Waiting for me')
  await page.getByRole('button', { name: `Approve: ${theirs.number}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('801.00 EUR').waitFor()
  await dialog.getByLabel('Comment').fill('as agreed')
  await inspect(visit, `job-5-${size}`)
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByRole('link', { name: theirs.number }).waitFor({ state: 'detached' })
  expect((await scene.service.get(`contract/${theirs.Id}`)).data['Status']).to.equal('Active')
  const own = await scene.contract({ MonthlyRent: { Amount: 802, Currency: 'EUR' } })
  const admin = await scene.console.visitAs(ADMIN, size)
  await admin.open(`/records/contract/${own.Id}`)
  await admin.page.getByRole('button', { name: 'Submit' }).click()
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Submit' }).click()
  await admin.page.getByText('Pending approval').first().waitFor()
  const refused = admin.page.getByRole('button', { name: 'Approve' })
  expect(await refused.getAttribute('aria-disabled')).to.equal('true')
  expect(await refused.getAttribute('aria-description')).to.match(/^You made it PendingApproval: someone/)
  expect(admin.faults()).to.deep.equal([])
  await admin.close()
}

async function changeSafely(scene: Scene, visit: Visit, size: Size) {
  const { page } = visit
  const { Id } = await scene.contract({ MonthlyRent: { Amount: 803, Currency: 'EUR' } })
  const tab = await visit.context.newPage()
  for (const one of [page, tab]) {
    await one.goto(`${scene.service.url}/console/records/contract/${Id}`)
    await one.getByRole('button', { name: 'Edit' }).click()
  }
  await page.getByLabel('Duration').fill('36')
  await page.getByLabel('Notes').fill('mine')
  await tab.getByLabel('Duration').fill('24')
  await tab.getByRole('button', { name: 'Save' }).click()
  await tab.getByText('24 months').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'Someone else has changed this record' })
  await alert.getByRole('row', { name: /Duration.*12 months.*24 months.*36 months/ }).waitFor()
  expect(await page.getByLabel('Notes').inputValue()).to.equal('mine')
  await inspect(visit, `job-6-${size}`)
  // Signed out elsewhere before it is saved: the draft is there afterwards, and so is the place.
  await alert.getByRole('button', { name: 'Go on with my draft' }).click()
  await visit.context.clearCookies()
  await page.getByRole('button', { name: 'Save' }).click()
  const signIn = page.getByRole('dialog', { name: 'Your session has ended' })
  await signIn.getByLabel(/^Password/).fill(ADMIN.password)
  await inspect(visit, `job-6-session-${size}`)
  await signIn.getByRole('button', { name: 'Sign in', exact: true }).click()
  await signIn.waitFor({ state: 'hidden' })
  expect(await page.getByLabel('Duration').inputValue()).to.equal('36')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('36 months').waitFor()
  const { data } = await scene.service.get(`contract/${Id}`)
  expect(data).to.include({ Duration: 36, Notes: 'mine' })
}

async function fixWebhook(scene: Scene, visit: Visit, size: Size) {
  const { page } = visit
  scene.answer(500)
  const { Id } = await scene.service.create('servicerequest', { Subject: `A leak ${size}` })
  await visit.open('/')
  await go(visit, size, 'Webhooks')
  await page.getByRole('link', { name: `${scene.other.url}/hook` }).click()
  const row = page
    .getByRole('row', { name: /servicerequest\.created/ })
    .filter({ has: page.getByRole('link', { name: `…${Id.slice(-6)}` }) })
  await row.getByRole('cell', { name: '500' }).waitFor()
  await row.getByRole('link', { name: 'servicerequest.created' }).click()
  const delivery = page.getByRole('dialog', { name: 'Delivery' })
  await delivery.getByText('as the receiver says').waitFor()
  await inspect(visit, `job-7-${size}`)
  scene.answer(204)
  await delivery.getByRole('button', { name: 'Redeliver' }).click()
  await page.keyboard.press('Escape')
  await page
    .getByRole('row', { name: /servicerequest\.created/ })
    .filter({ hasText: 'delivered' })
    .filter({ has: page.getByRole('link', { name: `…${Id.slice(-6)}` }) })
    .first()
    .waitFor()
}

async function seeTrouble(scene: Scene, visit: Visit, size: Size) {
  const { page } = visit
  await receive(scene, { id: `bad-${size}`, name: 'x'.repeat(500) })
  await visit.open('/')
  await go(visit, size, 'Integrations')
  await page.getByRole('link', { name: 'Directory' }).click()
  const again = page.getByRole('alert').getByRole('button', { name: /^Apply all \d+ again$/ })
  await again.waitFor()
  await inspect(visit, `job-8-${size}`)
  await again.click()
  await page.getByText('It is applied again.').waitFor()
  await page.getByRole('tab', { name: 'Sent' }).click()
  await page
    .getByText(/tenant\.updated|Nothing was sent yet/)
    .first()
    .waitFor()
  await inspect(visit, `job-8-sent-${size}`)
}

async function writeMail(scene: Scene, visit: Visit, size: Size) {
  const { page } = visit
  const name = `A request ${size}`
  await scene.service.create('servicerequest', { Subject: 'A <b>leak</b>' })
  await visit.open('/')
  await go(visit, size, 'Mails')
  await page.getByRole('link', { name: 'New template' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Trigger').selectOption('service-request-created')
  await page.getByLabel('Subject').fill('New: {{Subject}}')
  await page.getByLabel('Body (HTML)').fill('<p>{{Subject}}</p>')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name }).waitFor()
  await page.getByRole('tab', { name: 'Preview' }).click()
  await page.getByRole('combobox', { name: 'With the values of: Service request' }).click()
  await page.getByRole('option').first().click()
  await page.getByTestId('subject').getByText('New: A').waitFor()
  await inspect(visit, `job-9-${size}`)
}

async function answerQuestion(_scene: Scene, visit: Visit, size: Size) {
  const { page } = visit
  await visit.open('/')
  await go(visit, size, 'Warehouse')
  await page.getByRole('textbox', { name: 'Question in SQL' }).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(
    'SELECT City, count(*) AS Houses FROM wh_Leasing_Building GROUP BY City ORDER BY City',
  )
  await page.keyboard.press('Control+Enter')
  await page.getByRole('cell', { name: 'Bergen' }).waitFor()
  await page.getByText('Chart', { exact: true }).click()
  await page.locator('.recharts-bar-rectangle').first().waitFor()
  await inspect(visit, `job-10-${size}`)
}
