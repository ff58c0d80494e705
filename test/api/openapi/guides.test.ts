/** The guides that /docs leads to, and the document without its section of webhooks. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { GUIDES, guidePath } from '../../../src/api/openapi/guides.ts'
import type { OpenApiDocument } from '../../../src/api/openapi/document.ts'
import { testService, type TestService } from '../../support/service.ts'

const docs = join(import.meta.dirname, '..', '..', '..', 'docs')

describe('beside the page of the API', () => {
  let service: TestService
  before(async () => (service = await testService()))
  after(() => service.discard())

  it('each guide is one link away, as it stands in the repository', async () => {
    const page = await (await fetch(`${service.url}/docs`)).text()
    for (const guide of GUIDES) {
      expect(page).to.contain(`<a href="${guidePath(guide)}">`)
      const answer = await fetch(new URL(guidePath(guide), `${service.url}/docs`))
      expect(answer.status, guide.name).to.equal(200)
      expect(answer.headers.get('content-type')).to.equal('text/plain; charset=utf-8')
      expect(answer.headers.get('x-content-type-options')).to.equal('nosniff')
      expect(await answer.text()).to.equal(readFileSync(join(docs, `${guide.name}.md`), 'utf8'))
    }
  })

  it('nothing else is read from the disk', async () => {
    for (const name of ['history', '..%2FREADME.md', '%2e%2e%2fpackage.json', 'decisions', 'none.md']) {
      const answer = await fetch(`${service.url}/docs/guides/${name}`)
      expect(answer.status, name).to.equal(404)
      expect(await answer.text()).to.contain('history.md')
    }
  })

  it('the document can be had for openapi-generator, and other parameters are refused', async () => {
    const whole = (await service.get('openapi.json')).json as unknown as OpenApiDocument
    const made = (await service.get('openapi.json?for=openapi-generator')).json as unknown as OpenApiDocument
    expect(whole.webhooks).to.include.keys('contract.created')
    expect(made).not.to.include.keys('webhooks')
    expect(Object.keys(made.paths)).to.deep.equal(Object.keys(whole.paths))
    const { additionalProperties, ...contract } = whole.components.schemas['Contract']!
    expect(additionalProperties).to.equal(false)
    expect(made.components.schemas['Contract']).to.deep.equal(contract)
    const upload = (document: OpenApiDocument) =>
      document.paths['/api/v1/contract/import']!.post!.requestBody!.content
    expect(upload(whole)).to.include.keys('text/csv', 'multipart/form-data')
    expect(upload(made)).to.include.keys('text/csv').and.not.include.keys('multipart/form-data')
    for (const query of ['for=all', 'webhooks=none', 'for=openapi-generator&format=yaml']) {
      const { status, text } = await service.get(`openapi.json?${query}`)
      expect(status, query).to.equal(400)
      expect(text).to.match(/must be openapi-generator|it takes for/)
    }
  })
})
