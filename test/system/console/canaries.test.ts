/**
 * Values that want to be more than text, in every field of every object that takes them: they are shown as text, run nothing and push
 * nothing out of its place, wherever they show. And every page, in both colour schemes, on both screens.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { rounds } from '../../support/rounds.ts'
import {
  ADMIN,
  consoleSuite,
  inspect,
  openConsole,
  OVERFLOW,
  SIZES,
  type Console,
  type Size,
  type Visit,
} from './browser.ts'

interface Field {
  readonly Name: string
  readonly Type: string
  readonly ReadOnly: boolean
  readonly MaxLength: number | null
  readonly Target: string | null
  readonly Strict: boolean
}
interface Seen {
  readonly Object: string
  readonly Fields: readonly Field[]
}

const HOSTILE = [
  `<img src=x onerror="window.ran=1">`,
  `{{constructor.constructor('window.ran=1')()}}\${7*7}<%= 7*7 %>`,
  '\u202eًٌٍ טקסט מימין לשמאל',
  `𝒳👩‍👩‍👧${'W'.repeat(10_000)}`,
  `'"><script>window.ran=1</script>`,
]
const TEXTS = ['text', 'longtext', 'choice', 'richtext']
/** Those of records are opened for every object. */
const PAGES = [
  ...['/', '/waiting', '/bank', '/imports', '/imports/kept', '/templates', '/templates?tab=layouts'],
  ...['/templates?tab=messages', '/templates?tab=suppressions', '/templates/new', '/warehouse', '/webhooks'],
  ...['/integrations', '/settings/users', '/settings/roles', '/settings/tokens', '/settings/sessions'],
  ...['/companies', '/projections', '/audit', '/nowhere'],
]
/** With all rounds everything is looked at on both screens; else each thing on one of them, in turn. */
const on = <T>(size: Size, all: readonly T[]): readonly T[] => {
  const sizes = Object.keys(SIZES)
  return all.filter((_, place) => rounds(0, 1) === 1 || sizes[place % sizes.length] === size)
}
const ROUTER = join(import.meta.dirname, '..', '..', '..', 'console', 'src', 'app', 'router.tsx')

consoleSuite('the console: values that want to be more', function () {
  this.timeout(600_000)
  let console: Console
  let objects: readonly Seen[]
  const made = new Map<string, string>()
  /** Pages of one thing each, whose texts are hostile. */
  const ofOne: string[] = []
  before(async () => {
    console = await openConsole()
    objects = (await console.service.get('objects')).data['Objects'] as unknown as readonly Seen[]
    // Looked-up objects first; a second round fills lookups of those that come later.
    for (let round = 0; round < 2; round++)
      for (const [index, object] of objects.entries()) if (!made.has(object.Object)) await make(object, index)
    const { service } = console
    const name = HOSTILE[0]!
    const add = async (path: string, body: object) => {
      const { status, text, data } = await service.post(path, body)
      expect(status, text).to.be.oneOf([201, 202])
      return data
    }
    const user = await add('identity/users', {
      ...{ Email: 'canary@example.com', Name: name, Password: 'a password for tests', Roles: ['viewer'] },
    })
    await add('identity/tokens', { Name: name, Roles: [] })
    const webhook = { Url: `https://hooks.example.com/${'x'.repeat(300)}`, Events: ['*'], Description: name }
    const { Id: hook } = await add('webhooks', webhook)
    const layout = { name: `${name} ${'W'.repeat(60)}`, body: `${name}{{content}}` }
    await add('notifications/layouts', { layout })
    const texts = { name, trigger: 'service-request-created', subject: name, body: `${name}{{Subject}}` }
    const stored = await add('notifications/templates', { template: texts })
    const { Id: template } = stored['template'] as { readonly Id: string }
    const Credentials = { webhookSecret: 'whsec_x' }
    const set = { Definition: 'stripe', Name: `${name} ${'W'.repeat(60)}`, Credentials }
    const { Id: integration } = await add('integrations', set)
    const { Id: scim } = await add('integrations', {
      ...{ Definition: 'scim', Name: name, Credentials: { token: 'a-long-token' } },
    })
    const rows = `Name,${HOSTILE[4]!.replaceAll('"', '')}\n"${name.replaceAll('"', '""')}",x\n`
    const sent = await service.send('POST', `tenant/import`, {
      body: rows,
      headers: { 'Content-Type': 'text/csv' },
    })
    expect(sent.status, sent.text).to.equal(202)
    const tabs = ['inbox', 'conflicts', 'sent', 'syncing', 'preview', 'setUp']
    ofOne.push(
      `/settings/users/${user.Id}`,
      `/webhooks/${hook}`,
      ...['edit', 'preview', 'versions'].map((tab) => `/templates/${template}?tab=${tab}`),
      ...tabs.map((tab) => `/integrations/${integration}?tab=${tab}`),
      `/integrations/${scim}`,
      `/imports/${sent.data.Id}`,
      `/bank/${made.get('bankaccount')}`,
    )
    await service.post('import-profiles', {
      Name: `${name} ${'W'.repeat(100)}`,
      Object: 'tenant',
      Mapping: { Mode: 'create', Fields: { Name: { Column: name } } },
    })
  })
  after(() => console?.discard())

  /** With as many hostile fields as the service takes; those that it refuses, it has refused. */
  async function make({ Object: object, Fields }: Seen, index: number): Promise<void> {
    const body: Record<string, unknown> = {}
    for (const [place, field] of Fields.entries())
      if (!field.ReadOnly) body[field.Name] = valueOf(field, index + place)
    for (let tries = 0; tries < 12; tries++) {
      const answer = await console.service.post(object, body)
      if (answer.status === 201) return void made.set(object, answer.data.Id)
      expect(answer.status, answer.text).to.equal(400)
      for (const { Field: wrong } of answer.error.Details) {
        const name = wrong.split(/[.[]/)[0]!
        const field = Fields.find(({ Name }) => Name === name)
        if (field && body[name] === undefined) body[name] = plainOf(field)
        else if (field && body[name] !== plainOf(field) && tries < 6) body[name] = plainOf(field)
        else delete body[name]
      }
    }
  }

  function valueOf({ Type, MaxLength, Target, Strict }: Field, place: number): unknown {
    const text = HOSTILE[place % HOSTILE.length]!
    if (TEXTS.includes(Type) && !Strict) return [...text].slice(0, MaxLength ?? 200).join('')
    if (Type === 'lookup') return made.get(Target ?? '')
    if (Type === 'json') return { [text.slice(0, 40)]: text }
    return plainOf({ Type } as Field)
  }

  function plainOf({ Type, Name }: Field): unknown {
    if (Type === 'money') return { Amount: 999_999_999.99, Currency: 'EUR' }
    if (Type === 'integer' || Type === 'decimal') return 12
    if (Type === 'date') return '2031-01-01'
    if (Type === 'timestamp') return '2031-01-01T00:00:00Z'
    if (Type === 'boolean') return true
    if (Type === 'email') return 'canary@example.com'
    if (Type === 'url') return `https://example.com/${'x'.repeat(150)}`
    return /email/i.test(Name) ? 'canary@example.com' : undefined
  }

  const quiet = async (visit: Visit) => {
    expect(await visit.page.evaluate('window.ran')).to.equal(undefined)
    expect(visit.faults().join('\n')).to.equal('')
    expect(await visit.page.evaluate<number>(OVERFLOW), visit.page.url()).to.be.at.most(0)
  }

  it('are looked at on every page that there is', () => {
    const routes = [...readFileSync(ROUTER, 'utf8').matchAll(/\bat\('([^']+)'/g)].map(([, path]) => path!)
    const opened = [...PAGES, ...ofOne].map((path) => path.split('?')[0]!)
    const missing = routes
      .filter((path) => !path.startsWith('/records/'))
      .filter(
        (path) => !opened.some((one) => new RegExp(`^${path.replace('$key', '[a-z]+-[^/]+')}$`).test(one)),
      )
    expect(routes.length).to.be.greaterThan(20)
    expect(missing).to.deep.equal([])
  })

  it('are taken by most objects', () => {
    const missing = objects.map(({ Object: name }) => name).filter((name) => !made.has(name))
    expect(missing.length, missing.join()).to.be.at.most(objects.length / 5)
  })

  for (const size of ['wide', 'narrow'] as const)
    it(`are text in the list, the record, its form and its history, of every object (${size})`, async () => {
      const visit = await console.visitAs(ADMIN, size)
      const { page } = visit
      for (const [object, key] of on(size, [...made])) {
        await visit.open(`/records/${object}`)
        await page.locator('tbody tr').first().waitFor()
        if (size === 'wide') await inspect(visit, `canary-list-${object}`)
        await quiet(visit)
        await visit.open(`/records/${object}/${key}?tab=history`)
        await page.getByRole('tabpanel').getByText('Created').first().waitFor()
        await quiet(visit)
        await page.getByRole('tab', { name: 'Details' }).click()
        await page.getByRole('button', { name: 'Edit' }).click()
        await page.getByRole('button', { name: 'Save' }).waitFor()
        if (size === 'narrow') await inspect(visit, `canary-form-${object}`)
        await quiet(visit)
        await page.getByRole('button', { name: 'Cancel' }).click()
      }
      await visit.close()
    })

  for (const size of ['wide', 'narrow'] as const)
    it(`are text on every page, which axe finds nothing on (${size})`, async () => {
      const visit = await console.visitAs(ADMIN, size)
      for (const path of on(size, [...PAGES, ...ofOne])) {
        await visit.open(path)
        await visit.page.locator('h1').first().waitFor()
        await visit.page.waitForLoadState('networkidle')
        const named = path.replace(/-0[0-9a-z]{25}/, '').replaceAll(/[/?=]/g, '-')
        await inspect(visit, `page${named}-${size}`)
        await quiet(visit)
      }
      await visit.close()
    })
})
