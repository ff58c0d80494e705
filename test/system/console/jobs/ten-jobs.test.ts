/** The ten things that people come for, on a desk and on a telephone; one of them by keyboard alone, from the sign-in on. */
import { expect } from 'chai'
import { client } from '../../../support/service.ts'
import { ADMIN, companyOf, consoleSuite } from '../browser.ts'
import { JOBS } from './jobs.ts'
import { keysOnly } from './keyboard.ts'
import { makeScene, type Scene } from './scene.ts'

consoleSuite('the console: ten jobs', function () {
  this.timeout(90_000)
  let scene: Scene
  before(async () => {
    scene = await makeScene()
  })
  after(() => scene?.discard())

  for (const size of ['wide', 'narrow'] as const)
    for (const [index, { title, by, run }] of JOBS.entries())
      it(`${index + 1}. ${title} (${size})`, async () => {
        const visit = await scene.console.visitAs(by?.(scene) ?? ADMIN, size)
        await run(scene, visit, size)
        expect(visit.faults()).to.deep.equal([])
        await visit.close()
      })

  it('1. gives a script access, by keyboard alone', async () => {
    const visit = await scene.console.visit()
    await visit.open(`/?company=${await companyOf(scene.service)}`)
    const keys = keysOnly(visit.page)
    await keys.read('E-mail address')
    await keys.tabTo(/^E-mail address/)
    await keys.type(ADMIN.email)
    await keys.tabTo(/^Password/)
    await keys.type(ADMIN.password)
    await keys.press('Enter')
    await keys.read('My company')
    await keys.press('Control+k')
    await keys.inField()
    await keys.type('API Tok')
    await keys.press('ArrowDown')
    await keys.press('Enter')
    await keys.read('What servers, jobs and scripts')
    await keys.tabTo('Create Token')
    await keys.press('Enter')
    await keys.tabTo(/^Name/)
    await keys.type('by keyboard')
    await keys.tabTo('system_admin')
    await keys.press('Space')
    await keys.press('Enter')
    const value = await keys.secret()
    const me = await client(() => scene.service.url, value).get('identity/me')
    expect(me.data).to.deep.include({ Name: 'by keyboard', Roles: ['system_admin'] })
    await keys.tabTo('Done')
    await keys.press('Enter')
    await keys.read('by keyboard')
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })
})
