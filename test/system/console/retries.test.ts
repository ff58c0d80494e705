/** Writes of the console whose answers are lost: sent again with the same idempotency key, and done once. */
import { expect } from 'chai'
import type { Route } from 'playwright-core'
import { ADMIN, consoleSuite, openConsole, type Console } from './browser.ts'

consoleSuite('the console: answers that are lost', function () {
  this.timeout(60_000)
  let console: Console
  before(async () => {
    console = await openConsole()
  })
  after(() => console?.discard())

  /** Makes a building on the page; `fate`: what becomes of each try to send it. Answers the keys that were sent. */
  async function make(name: string, fate: (route: Route, attempt: number) => Promise<void>, presses: number) {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    const keys: (string | undefined)[] = []
    await page.route('**/api/v1/building', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      keys.push(route.request().headers()['idempotency-key'])
      await fate(route, keys.length)
    })
    await visit.open('/records/building/new')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
    const save = page.getByRole('button', { name: 'Save' })
    for (let pressed = 1; pressed <= presses; pressed++) {
      await save.click()
      if (pressed < presses) await page.getByText('The service cannot be reached.').waitFor()
    }
    await page.getByRole('heading', { name }).waitFor()
    await visit.close()
    const { list } = await console.service.get(`building?filter=${encodeURIComponent(`Name eq '${name}'`)}`)
    expect(list).to.have.length(1)
    return keys
  }

  it('sends a write again by itself, with the key of the first try', async () => {
    const keys = await make(
      'North House',
      async (route, attempt) => {
        if (attempt > 1) return route.continue()
        // The service has done it; its answer does not arrive.
        await route.fetch()
        await route.abort('connectionreset')
      },
      1,
    )
    expect(keys).to.have.length(2)
    expect(keys[0]).to.match(/^[0-9a-f]{32}$/)
    expect(keys[1]).to.equal(keys[0])
  })

  it('keeps the key when a person tries again after that', async () => {
    const keys = await make(
      'South House',
      async (route, attempt) => {
        if (attempt > 3) return route.continue()
        await route.fetch()
        await route.abort('connectionreset')
      },
      2,
    )
    expect(keys).to.have.length(4)
    expect(new Set(keys).size).to.equal(1)
  })

  it('makes another key for another write', async () => {
    const [east] = await make('East House', (route) => route.continue(), 1)
    const [west] = await make('West House', (route) => route.continue(), 1)
    expect(east).not.to.equal(west)
  })
})
