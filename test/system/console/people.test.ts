/** Users in the console: what each may do and why, and where each is signed in. */
import { expect } from 'chai'
import { ADMIN, consoleSuite, inspect, makePerson, openConsole, type Console } from './browser.ts'

consoleSuite('the console: rights and sessions of users', function () {
  this.timeout(60_000)
  let console: Console
  let number: string
  before(async () => {
    console = await openConsole()
    const { service } = console
    const ada = await service.create('tenant', { Name: 'Ada Lovelace' })
    const MonthlyRent = { Amount: 900, Currency: 'EUR' }
    const body = { Tenant: ada.Id, MonthlyRent, StartDate: '2031-01-01', Duration: 12 }
    number = (await service.create('contract', body))['ContractNumber'] as string
    await makePerson(service, 'Eve', ['editor'])
  })
  after(() => console?.discard())

  const EVE = { email: 'eve@example.com', password: ADMIN.password }

  it('says what a user may do on a record, and why', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open('/settings/users')
    await page.getByRole('link', { name: 'Eve' }).click()
    await page.getByRole('heading', { name: 'Eve' }).waitFor()
    await page.getByRole('row', { name: /^administer No none of the user's roles \(editor\)/ }).waitFor()
    await page.getByLabel('On', { exact: true }).selectOption({ label: 'Contract' })
    await page.getByRole('row', { name: /^update Yes the role editor grants update/ }).waitFor()
    await page.getByRole('combobox', { name: 'Record' }).fill(number)
    await page.getByRole('option', { name: number }).click()
    await page.getByRole('row', { name: /^workflow:approve No/ }).waitFor()
    const address = new URL(page.url()).searchParams
    expect(address.get('object')).to.equal('contract')
    expect(address.get('record')).to.match(/^contract-/)
    await inspect(visit, 'rights')
    await page.reload()
    await page.getByRole('row', { name: /^workflow:submit Yes/ }).waitFor()
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })

  it('ends a session of a user, who then is asked to sign in', async () => {
    const eve = await console.visitAs(EVE)
    await eve.open('/records/contract')
    await eve.page.getByRole('row', { name: new RegExp(number) }).waitFor()
    const visit = await console.visitAs(ADMIN, 'narrow')
    const { page } = visit
    await visit.open('/settings/users')
    await page.getByRole('link', { name: 'Eve' }).click()
    await page.getByRole('button', { name: /^End session of/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End session', exact: true }).click()
    await page.getByText('Not signed in anywhere.').waitFor()
    await inspect(visit, 'user-narrow')
    await eve.page.getByRole('link', { name: number }).click()
    await eve.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await visit.close()
    await eve.close()
  })

  it('shows everyone where they are signed in, and ends the others', async () => {
    const elsewhere = await console.visitAs(EVE)
    const eve = await console.visitAs(EVE)
    const { page } = eve
    await eve.open('/')
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Your sessions' }).click()
    await page.getByText('this one').waitFor()
    await page.getByRole('menu').waitFor({ state: 'hidden' })
    await inspect(eve, 'sessions')
    await page.getByRole('button', { name: /^End session of/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End session', exact: true }).click()
    await page.getByRole('button', { name: /^End session of/ }).waitFor({ state: 'detached' })
    const answer = await elsewhere.context.request.get(`${console.service.url}/api/v1/identity/me`)
    expect(answer.status()).to.equal(401)
    expect(eve.faults()).to.deep.equal([])
    await elsewhere.close()
    await eve.close()
  })
})
