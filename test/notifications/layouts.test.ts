/** What stands around the bodies of templates; versions of both; and templates with made-up values. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { testService, type TestService } from '../support/service.ts'

interface Shown {
  readonly Id: string
  readonly version: number
  readonly layout: string | null
  readonly body: string
}

describe('layouts', () => {
  let service: TestService
  before(async () => (service = await testService()))
  after(() => service.discard())

  const upload = (body: string, name = 'House') =>
    service.post('notifications/layouts', { layout: { name, body } })
  const template = (more: object) =>
    service.post('notifications/templates', {
      template: {
        name: 'Request',
        trigger: 'service-request-created',
        subject: 'About {{Subject}}',
        body: '<p>{{Subject}} of {{Tenant.Name}}</p>',
        ...more,
      },
    })
  const HOUSE = '<div style="color: navy">Harbour Ltd</div><div>{{content}}</div><p>Quay 1</p>'

  it('have their content once, as text', async () => {
    for (const [body, reason] of [
      ['<p>Harbour</p>', 'it has it 0 times'],
      ['{{content}}{{content}}', 'it has it 2 times'],
      ['<p title="{{content}}">x</p>', 'must stand in text'],
      ['<title>{{content}}</title>', 'must stand in text'],
      ['<!-- {{content}} -->', 'must stand in text'],
      ['<p>{{content}} {{Tenant.Name}}</p>', 'the only tag of a layout'],
      ['<p>{{content}} {{#each}}</p>', 'the only tag of a layout'],
      ['<p>{{content}} {{cont</p>', '{{cont</p> at 15 is not closed: write {{content}}'],
    ] as const) {
      const refused = await service.post('notifications/layouts/validate', { layout: { name: 'X', body } })
      expect([refused.status, refused.text.includes(reason)], `${body} ${refused.text}`).to.deep.equal([
        400,
        true,
      ])
    }
    expect((await upload('', 'X')).status).to.equal(400)
    const warned = await upload('<script>alert(1)</script><p>{{content}}</p>', 'Warned')
    expect(JSON.stringify(warned.data['warnings'])).to.contain('script is removed')
  })

  it('stand around the body and its values, in previews and in mails', async () => {
    const made = (await upload(HOUSE)).data['layout'] as unknown as Shown
    expect((await template({ layout: 'Castle' })).status).to.equal(400)
    const stored = (await template({ layout: 'House' })).data['template'] as unknown as Shown
    expect(stored.layout).to.equal(made.Id)
    const sample = { Subject: '{{content}} <b>', Tenant: { Name: 'Zoë' } }
    const shown = await service.post(`notifications/templates/${stored.Id}/preview`, { sample })
    expect(shown.data['body']).to.equal(
      '<div style="color:navy">Harbour Ltd</div><div><p>{{content}} &lt;b&gt; of Zoë</p></div><p>Quay 1</p>',
    )
    expect(shown.data['text']).to.match(/^Harbour Ltd\s+\{\{content\}\} <b> of Zoë\s+Quay 1$/)
    const tenant = await service.create('tenant', { Name: 'Ann', Email: 'ann@example.com' })
    await service.create('servicerequest', { Subject: 'A tap drips', Tenant: tenant.Id })
    const folder = join(service.dataDir, 'mail')
    const mails = () => {
      try {
        return readdirSync(folder).filter((name) => /^[^.].*[.]eml$/.test(name))
      } catch {
        return []
      }
    }
    for (let looks = 0; looks < 300 && mails().length === 0; looks++) await delay(20)
    const mail = readFileSync(join(folder, mails()[0]!), 'utf8').replaceAll('=\r\n', '')
    expect(mail).to.contain('<div><p>A tap drips of Ann</p></div><p>Quay 1</p>')
  })

  it('stay as long as a template has them', async () => {
    const key = ((await upload(HOUSE)).data['layout'] as unknown as Shown).Id
    expect((await service.delete(`notifications/layouts/${key}`)).status).to.equal(409)
    expect(((await template({})).data['template'] as unknown as Shown).layout).to.equal(null)
    expect((await service.delete(`notifications/layouts/${key}`)).status).to.equal(200)
    expect((await service.get(`notifications/layouts/${key}`)).status).to.equal(404)
  })

  it('have versions, as templates have them: the newest first, each to look at, and to have again', async () => {
    const first = (await upload('<p>One {{content}}</p>', 'Versioned')).data['layout'] as unknown as Shown
    const second = (await upload('<p>Two {{content}}</p>', 'Versioned')).data['layout'] as unknown as Shown
    expect(second).to.include({ Id: first.Id, version: 2 })
    const path = `notifications/layouts/${first.Id}`
    const { list } = await service.get(`${path}/versions`)
    expect(list.map(({ version, by, changed }) => [version, by, changed])).to.deep.equal([
      [2, 'bootstrap', ['body']],
      [1, 'bootstrap', ['name', 'body']],
    ])
    expect((await service.get(`${path}/versions/1`)).data['layout']).to.include({
      body: '<p>One {{content}}</p>',
    })
    const again = await service.post(`${path}/revert`, { version: 1 })
    expect(again.data['layout']).to.include({ version: 3, body: '<p>One {{content}}</p>' })
    expect(
      (await service.get('notifications/layouts/layout-01k0000000000000000000000a/versions')).status,
    ).to.equal(404)
  })

  it('are listed with the members that are asked for', async () => {
    const { list } = await service.get('notifications/layouts?fields=Name&sort=Name')
    expect(list.map((one) => Object.keys(one))).to.deep.include(['Id', 'name'])
    const templates = await service.get('notifications/templates?fields=Subject,Layout')
    expect(templates.list.map((one) => Object.keys(one).sort())).to.deep.equal([['Id', 'layout', 'subject']])
  })
})

describe('the catalogue of triggers', () => {
  let service: TestService
  before(async () => (service = await testService()))
  after(() => service.discard())

  it('has tags that templates may hold, with what they could be', async () => {
    const { list } = (await service.get('notifications/triggers')) as unknown as {
      readonly list: readonly { trigger: string; tags: readonly { path: string; sample: string }[] }[]
    }
    const tags = list.find(({ trigger }) => trigger === 'contract-renewal-reminder')!.tags
    expect(tags).to.deep.include({ path: 'EndDate', sample: 'January 31, 2030' })
    expect(tags).to.deep.include({ path: 'Tenant.Name', sample: 'Name' })
    expect(tags).to.deep.include({ path: 'MonthlyRent', sample: '€1,200.50' })
    const body = `<p>${tags.map(({ path }) => `{{${path}}}`).join(' ')}</p>`
    const template = { name: 'All', trigger: 'contract-renewal-reminder', subject: 'All', body }
    const checked = await service.post('notifications/templates/validate', { template })
    expect(checked.data['warnings'], checked.text).to.deep.equal([])
    const other = await service.post('notifications/templates/validate', {
      template: { ...template, area: 'workflow' },
    })
    expect(other.data['warnings']).to.deep.equal([
      { Field: 'area', Message: 'the trigger is of the area leasing' },
    ])
  })

  it('lets a preview have a record or made-up values, and not both', async () => {
    const template = {
      name: 'S',
      trigger: 'contract-renewal-reminder',
      subject: '{{ContractNumber}}',
      body: '<p>{{EndDate}}</p>',
    }
    const made = await service.post('notifications/templates', { template })
    const path = `notifications/templates/${(made.data['template'] as unknown as Shown).Id}/preview`
    const shown = await service.post(path, { sample: { ContractNumber: 'C-1', constructor: 'x' } })
    expect(shown.data).to.deep.equal({ subject: 'C-1', body: '<p></p>', text: '', missing: ['EndDate'] })
    for (const wrong of [{}, { sample: 'x' }, { sample: {}, record: 'contract-1' }])
      expect((await service.post(path, wrong)).status).to.equal(400)
  })
})
