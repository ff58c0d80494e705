/** What the notification service says of itself on its own port. */
import { expect } from 'chai'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { appsMadeBy, routesOf } from '../../matrix/routes.ts'
import { client, testService, type TestService } from '../../support/service.ts'

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
  readonly servers: readonly { readonly url: string }[]
}

describe('the description of the notification service', () => {
  let service: TestService
  let routes: readonly string[]
  let document: Document
  const anyone = client(() => service.notificationUrl, '')
  before(async () => {
    const { made, notifications } = await appsMadeBy(() => testService())
    service = made
    routes = routesOf(notifications).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    document = (await anyone.get('/openapi.json')).json as unknown as Document
  })
  after(() => service.discard())

  it('has every route that needs a token, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const asked = routes.filter((route) => !/^ALL|\/(u|inbound|docs|openapi\.json)\b/.test(route))
    expect(described.sort()).to.deep.equal(asked.sort())
    expect(document.servers).to.deep.equal([{ url: service.notificationUrl }])
  })

  it('is whole: all that it refers to is there, and its schemas compile', () => {
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    ajv.addSchema(document, 'notifications')
    const found = [...JSON.stringify(document).matchAll(/"#(\/components\/[^"]+)"/g)]
    expect(found.length).to.be.greaterThan(50)
    for (const [, pointer] of found) {
      const value = pointer!
        .split('/')
        .slice(1)
        .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document)
      expect(value, pointer).to.be.an('object')
      if (pointer!.includes('/schemas/')) ajv.compile({ $ref: `notifications#${pointer}` })
    }
  })

  it('is a page, too', async () => {
    const page = await anyone.get('/docs')
    expect(page.status).to.equal(200)
    expect(page.text)
      .to.contain('uploadTemplate')
      .and.contain('/openapi.json')
      .and.not.match(/undefined|\[object/)
  })
})
