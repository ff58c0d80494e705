/** Signing in to the console, a session that ends, and Settings, API Tokens, Create Token. */
import { expect } from 'chai'
import { EMAIL, PASSWORD, client } from '../../support/service.ts'
import { ADMIN, companyOf, consoleSuite, inspect, openConsole, type Console } from './browser.ts'

consoleSuite('the console: signing in', function () {
  this.timeout(60_000)
  let console: Console
  before(async () => {
    console = await openConsole()
  })
  after(() => console?.discard())

  it('asks for the company once, and then goes where the address leads', async () => {
    const visit = await console.visit()
    const { page } = visit
    await visit.open(`/settings/tokens?company=${await companyOf(console.service)}`)
    await page.getByLabel('E-mail address').fill(EMAIL)
    await page.getByLabel(/^Password/).fill('wrong')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'is wrong' }).waitFor()
    await inspect(visit, 'sign-in')
    await page.getByLabel(/^Password/).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'API Tokens' }).waitFor()
    // The next time the company is known, without the parameter.
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    // The page goes there by itself, which would end a visit that has begun.
    await page.getByLabel('E-mail address').waitFor()
    await visit.open('/')
    await page.getByLabel('E-mail address').waitFor()
    expect(await page.getByLabel('Company').count()).to.equal(0)
    expect(await page.evaluate('Object.keys(localStorage).sort()')).to.deep.equal([
      'daybook.company',
      'daybook.language',
    ])
    await visit.close()
  })

  it('says why a browser that keeps no cookie of this address cannot go on', async () => {
    const elsewhere = await openConsole({ COOKIE_DOMAIN: '.daybook.example' })
    try {
      const visit = await elsewhere.visit()
      const { page } = visit
      await visit.open('/')
      await page.getByLabel('E-mail address').fill(EMAIL)
      await page.getByLabel(/^Password/).fill(PASSWORD)
      await page.keyboard.press('Enter')
      const alert = page.getByRole('alert').filter({ hasText: 'The password is right' })
      await alert.getByText('where COOKIE_DOMAIN is set').waitFor()
      await inspect(visit, 'sign-in-no-cookie')
      await visit.close()
    } finally {
      await elsewhere.discard()
    }
  })

  for (const size of ['wide', 'narrow'] as const)
    it(`makes a token by Settings, API Tokens, Create Token (${size})`, async () => {
      const visit = await console.visitAs(ADMIN, size)
      const { page } = visit
      await visit.open('/')
      await page.getByRole('heading', { name: 'My company' }).waitFor()
      await inspect(visit, `home-${size}`)
      if (size === 'narrow') await page.getByRole('button', { name: 'Navigation' }).click()
      await page.getByRole('link', { name: 'API Tokens' }).click()
      await page.getByRole('button', { name: 'Create Token' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill(`nightly sync ${size}`)
      await dialog.getByLabel('system_admin').check()
      await inspect(visit, `create-token-${size}`)
      await dialog.getByRole('button', { name: 'Create Token' }).click()
      const value = (await dialog.getByTestId('secret').textContent())!
      expect(value).to.match(/^daybook_/)
      const me = await client(() => console.service.url, value).get('identity/me')
      expect(me.data).to.deep.include({ Name: `nightly sync ${size}`, Roles: ['system_admin'] })
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('rowheader', { name: `nightly sync ${size}` }).waitFor()
      expect(await page.content()).not.to.include(value)
      await inspect(visit, `tokens-${size}`)
      await visit.close()
    })

  it('revokes a token only after it was confirmed', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    const { data } = await console.service.post('identity/tokens', { Name: 'to go', Roles: [] })
    await visit.open('/settings/tokens')
    await page.getByRole('button', { name: 'Actions of to go' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('rowheader', { name: 'to go' }).waitFor({ state: 'detached' })
    expect((await console.service.get(`identity/tokens/${data.Id}`)).status).to.equal(404)
    await visit.close()
  })

  it('goes on where it was after the session has ended elsewhere, with what was typed', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open('/settings/tokens')
    await page.getByRole('button', { name: 'Create Token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create Token' })
    await dialog.getByLabel('Name').fill('a long thought')
    await visit.context.clearCookies()
    await dialog.getByRole('button', { name: 'Create Token' }).click()
    const signIn = page.getByRole('dialog', { name: 'Your session has ended' })
    await signIn.getByLabel(/^Password/).fill(PASSWORD)
    if (await signIn.getByLabel('Company').count())
      await signIn.getByLabel('Company').fill(await companyOf(console.service))
    await signIn.getByRole('button', { name: 'Sign in', exact: true }).click()
    await signIn.waitFor({ state: 'hidden' })
    expect(await dialog.getByLabel('Name').inputValue()).to.equal('a long thought')
    await dialog.getByRole('button', { name: 'Create Token' }).click()
    await dialog.getByTestId('secret').waitFor()
    await visit.close()
  })
})
