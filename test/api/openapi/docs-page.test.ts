import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { docsPage, docsPagePolicy } from '../../../src/api/openapi/docs-page/page.ts'
import { curlCommand } from '../../../src/api/openapi/docs-page/curl.ts'
import { html, prose } from '../../../src/api/openapi/docs-page/html.ts'
import { openApiDocument } from '../../../src/api/openapi/openapi.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import type { Definitions } from '../../../src/domain/definition.ts'

const shipped = loadDefinitions([fileURLToPath(new URL('../../../definitions', import.meta.url))])
const documentOf = (definitions: Definitions, publicUrl = 'https://daybook.example') =>
  openApiDocument({ definitions, publicUrl, version: '1.2.3', areas: [] })
const matches = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([, one]) => one!)

describe('the page of the API', () => {
  const document = documentOf(shipped)
  const page = docsPage(document)

  it('shows every object with its fields', () => {
    for (const { name, fields } of shipped.values()) {
      const section = page.slice(
        page.indexOf(`id="${name}"`),
        page.indexOf('</section>', page.indexOf(`id="${name}"`)),
      )
      for (const field of fields)
        expect(section, `${name}.${field.name}`).to.contain(
          `<td class="name"><code>${field.name}</code></td>`,
        )
    }
  })

  it('shows every operation with a command to try', () => {
    for (const path of Object.values(document.paths))
      for (const { operationId } of Object.values(path)) {
        const start = page.indexOf(`<div id="${operationId}">`)
        expect(start, operationId).to.be.greaterThan(0)
        expect(page.slice(start, page.indexOf('</details>', start)), operationId).to.contain('<pre>curl ')
        expect(page, 'a link to copy').to.contain(`href="#${operationId}"`)
      }
  })

  it('says which fields must be sent, and which the service assigns', () => {
    const row = (field: string) => {
      const start = page.indexOf(`<code>${field}</code>`, page.indexOf('id="Contract"'))
      return page.slice(start, page.indexOf('</tr>', start))
    }
    expect(row('MonthlyRent')).to.contain('required')
    expect(row('ContractNumber')).to.contain('assigned')
    expect(row('Duration')).to.contain('optional').and.contain('in months').and.contain('From 1 to 1200.')
    expect(row('LeaseType')).to.contain('<code>Renewal</code>').and.contain('or other text')
    expect(row('Status')).to.contain('<code>Draft</code>').and.not.contain('or other text')
    expect(row('Tenant')).to.contain('<a href="#Tenant">Tenant</a>')
  })

  it('has links that lead somewhere, and every id once', () => {
    const ids = matches(page, /\sid="([^"]+)"/g)
    expect(new Set(ids).size).to.equal(ids.length)
    const links = matches(page, /href="#([^"]+)"/g)
    expect(links.length).to.be.greaterThan(20)
    for (const link of links) expect(ids).to.include(link)
  })

  it('loads nothing and runs nothing', () => {
    expect(page).to.not.match(/<(script|link|img|iframe|object|embed|form|base)\b/i)
    expect(page).to.not.match(/\s(src|style|on\w+)=/i)
    expect(page).to.not.match(/@import|url\(/)
  })

  it('shows under its own policy: the hash is that of its style', () => {
    const [style = ''] = matches(page, /<style>([^]*?)<\/style>/g)
    const hash = createHash('sha256').update(style).digest('base64')
    expect(docsPagePolicy).to.contain(`style-src 'sha256-${hash}'`).and.contain("default-src 'none'")
  })

  it('shows as text whatever a definition holds', () => {
    const evil = `"><script>alert('x')</script>&amp; \`<b>\``
    const definition = {
      object: 'asset',
      name: 'Asset',
      application: 'Facility',
      description: evil,
      display: 'Name',
      fields: [
        { name: 'Name', type: 'text', description: evil },
        { name: 'Kind', type: 'choice', choices: [evil], strict: true, default: evil, description: evil },
        { name: 'Size', type: 'integer', unit: evil },
      ],
    } as const
    const plain = docsPage(
      documentOf(new Map([['asset', { ...definition, description: 'x', fields: [definition.fields[0]] }]])),
    )
    const hostile = docsPage(documentOf(new Map([['asset', definition]]), `https://x/${evil}`))
    expect(hostile).to.not.match(/<script|<b>`/)
    expect(hostile).to.contain(
      '&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp; <code>&lt;b&gt;</code>',
    )
    const tags = (page_: string) => new Set(matches(page_, /<([a-z0-9]+)/g))
    expect([...tags(hostile)].filter((tag) => !tags(page).has(tag) && !tags(plain).has(tag))).to.deep.equal(
      [],
    )
  })
})

describe('a command to try', () => {
  const operation = { operationId: 'createAsset', summary: 'Create', tags: [], responses: {} }
  const of = (example: unknown, path = '/api/v1/asset') =>
    curlCommand({
      server: 'https://daybook.example',
      path,
      method: 'post',
      operation: {
        ...operation,
        requestBody: { required: true, content: { 'application/json': { schema: {}, example } } },
      },
      parameters: [{ name: 'value', in: 'path', description: '', schema: {}, example: 'a b/c' }],
    })

  it('keeps a body as it is in a shell', () => {
    expect(of({ Name: "it's $HOME" })).to.contain(`-d '{\n  "Name": "it'\\''s $HOME"\n}'`)
  })

  it('has those parameters of which there is an example', () => {
    const sort = { name: 'sort', in: 'query', description: '', schema: {} } as const
    const listed = (parameters: Parameters<typeof curlCommand>[0]['parameters']) =>
      curlCommand({
        ...{ server: 'https://daybook.example', path: '/api/v1/asset', method: 'get', parameters },
        operation: { ...operation, operationId: 'listAsset' },
      })
    expect(listed([{ ...sort, example: '-Size' }]))
      .to.contain('--get')
      .and.contain('sort=-Size')
    expect(listed([sort])).to.not.match(/--get|sort|undefined/)
  })

  it('percent-encodes what stands in the path', () =>
    expect(of({}, '/api/v1/asset/by/Code/{value}')).to.contain(
      'https://daybook.example/api/v1/asset/by/Code/a%20b%2Fc',
    ))
})

describe('html', () => {
  it('escapes text, keeps HTML, joins lists and leaves out nothing said', () =>
    expect(
      html`<p>${'<&>"\''}${html`<b>${1}</b>`}${['a', html`<i>b</i>`]}${undefined}${false}</p>`.html,
    ).to.equal('<p>&lt;&amp;&gt;&quot;&#39;<b>1</b>a<i>b</i></p>'))

  it('sets in code what stands between backticks', () =>
    expect(prose('take `<a>` or b').html).to.equal('take <code>&lt;a&gt;</code> or b'))
})
