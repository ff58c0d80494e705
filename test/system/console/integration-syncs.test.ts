/** Integrations that go both ways, in the console: fields that both sides have changed, polls and full syncs. */
import { expect } from 'chai'
import { AT_ONCE } from '../../integrations/dropped-answers.ts'
import { BOTH_WAYS } from '../../integrations/support/both-ways.ts'
import { folderWith } from '../../integrations/support/own-file.ts'
import { LOOPBACK, partner, type Partner } from '../../integrations/support/partner.ts'
import type { Data } from '../../support/service.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, consoleSuite, inspect, openConsole, type Console } from './browser.ts'

consoleSuite('the console: integrations that go both ways', function () {
  this.timeout(60_000)
  let console: Console
  let other: Partner
  let integration: Data
  let tenant: Data
  let mayWrite = true
  before(async () => {
    other = await partner(({ method }) =>
      method === 'GET' ? { json: { people: [] } } : mayWrite ? { json: { id: 'person-1' } } : { status: 503 },
    )
    console = await openConsole({ DEFINITIONS_DIR: folderWith(BOTH_WAYS), ...LOOPBACK, ...AT_ONCE })
    const { service } = console
    const Credentials = { token: 'a-long-token' }
    const made = await service.post('integrations', {
      Definition: 'directory',
      BaseUrl: other.url,
      Credentials,
    })
    integration = (await service.post(`integrations/${made.data.Id}/start`)).data
    tenant = await service.create('tenant', { Name: 'Ann', Phone: '1' })
    await eventually('it is sent', async () =>
      expect((await service.get(`integrations/${integration.Id}/sent`)).list[0]).to.include({
        State: 'sent',
      }),
    )
  })
  after(async () => {
    await console?.discard()
    await other?.stop()
  })

  const disputed = async (ours: string, theirs: string) => {
    const { service } = console
    mayWrite = false
    await service.patch(`tenant/${tenant.Id}`, { Phone: ours })
    const headers = { Authorization: 'Bearer a-long-token' }
    const body = { id: 'person-1', name: 'Ann', phone: theirs }
    await service.send('POST', `in/${integration.Id}/people`, { body, headers })
    await eventually('both have changed it', async () =>
      expect((await service.get(`integrations/${integration.Id}/conflicts`)).list).to.have.length(1),
    )
    mayWrite = true
  }

  for (const [size, side, phone] of [
    ['wide', 'Theirs: 3', '3'],
    ['narrow', 'Ours: 4', '4'],
  ] as const)
    it(`lets a person say which value holds (${size})`, async () => {
      await disputed(size === 'wide' ? '2' : '4', size === 'wide' ? '3' : '5')
      const visit = await console.visitAs(ADMIN, size)
      const { page } = visit
      await visit.open(`/integrations/${integration.Id}`)
      await page.getByRole('tab', { name: 'Conflicts' }).click()
      await page.getByRole('button', { name: 'Resolve: Phone' }).click()
      const dialog = page.getByRole('dialog', { name: 'Changed on both sides' })
      await dialog.getByRole('button', { name: 'Resolve' }).click()
      await dialog.getByRole('alert').getByText('Take.Phone').waitFor()
      await dialog.getByLabel(side).check()
      await inspect(visit, `integration-conflict-${size}`)
      await dialog.getByRole('button', { name: 'Resolve' }).click()
      await page.getByText('No field was changed on both sides.').waitFor()
      expect((await console.service.get(`tenant/${tenant.Id}`)).data).to.include({ Phone: phone })
      expect(visit.faults()).to.deep.equal([])
      await visit.close()
    })

  it('shows how far its polls have come, and syncs in full', async () => {
    const visit = await console.visitAs(ADMIN)
    const { page } = visit
    await visit.open(`/integrations/${integration.Id}?tab=syncing`)
    await page.getByRole('row', { name: /^changes 60/ }).waitFor()
    await page.getByText('No full sync was asked for yet.').waitFor()
    await page.getByRole('button', { name: 'Sync in full …' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sync in full' }).click()
    await page.getByText('done', { exact: true }).waitFor()
    await inspect(visit, 'integration-syncing')
    expect(visit.faults()).to.deep.equal([])
    await visit.close()
  })
})
