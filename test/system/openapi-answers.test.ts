/**
 * The service holds to its own description: every operation of the OpenAPI document that it serves is asked, and every
 * answer, refusals too, is what the document says: its status, its headers, its body.
 */
import { rmSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CSV, settled } from '../imports/import-support.ts'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect } from 'chai'
import { eventually } from './support/eventually.ts'
import type { Fields, Json } from '../../src/domain/json.ts'
import { companyOf, logIn, makeUser, withCookie } from '../api/identity/identity-support.ts'
import { testService, type Answer, type Data, type Sent, type TestService } from '../support/service.ts'
import { definitionsFolder, everyField, gadget } from './support/gadget.ts'

type Named<T> = Readonly<Record<string, T>>
interface Referring {
  /** Said of headers that only some of the answers have. */
  readonly required?: boolean
  readonly $ref?: string
}
interface Response {
  readonly content?: Named<{ readonly schema: object }>
  readonly headers?: Named<Referring>
}
interface Operation {
  readonly responses: Named<Response & Referring>
  readonly requestBody?: { readonly content: Named<{ readonly schema: object; readonly example: Fields }> }
}
interface Document {
  readonly paths: Named<Named<Operation>>
  readonly components: {
    readonly headers: Named<{ readonly schema: { readonly pattern?: string; const?: string } }>
  }
}

const APP_ORIGIN = 'https://app.example.com'

/** Of these at least one is in every answer to a write that succeeded. */
const OPTIONAL_HEADERS = ['Daybook-Read-Lag', 'Idempotency-Replayed', 'Daybook-Position', 'Daybook-Dry-Run']

/** Headers that any answer may have. */
const COMMON =
  /^(access-control-.*|cache-control|connection|content-length|content-type|date|keep-alive|ratelimit.*|transfer-encoding|x-content-type-options|x-request-id)$/

const steps = (...names: string[]) =>
  names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** An integration that is asked for an echo before it is sent to. */
const echoFile = {
  integration: 'echo',
  scenario: 'other',
  title: 'Echo',
  description: 'For this test.',
  credentials: [{ name: 'secret' }],
  receive: [
    {
      name: 'events',
      verify: [{ header: 'X-Token', secret: 'secret' }],
      handshake: { query: 'validationToken' },
      id: 'id',
      map: [{ object: 'tenant', link: 'id', set: { Name: 'name' } }],
    },
  ],
}

describe('the OpenAPI document that is served', () => {
  const folder = definitionsFolder(gadget)
  const triggers = join(folder.path, 'triggers', 'workflow')
  mkdirSync(triggers, { recursive: true })
  const trigger = { trigger: 'gadget-created', area: 'workflow', object: 'gadget', ifUnsure: 'hold' }
  const when = { on: { event: 'gadget.created' }, to: [{ role: 'system_admin' }] }
  writeFileSync(join(triggers, 'gadget-created.json'), JSON.stringify({ ...trigger, ...when }))
  let service: TestService
  let document: Document
  let ajv: Ajv2020
  const validators = new Map<string, ValidateFunction>()
  /** Operations that have been asked, with the statuses they answered. */
  const asked = new Map<string, Set<number>>()

  before(async () => {
    mkdirSync(join(folder.path, 'integrations'))
    writeFileSync(join(folder.path, 'integrations', 'echo.json'), JSON.stringify(echoFile))
    service = await testService({ settings: { DEFINITIONS_DIR: folder.path, APP_ORIGIN } })
    document = (await service.get('openapi.json')).json as unknown as Document
    ajv = new Ajv2020({ strict: false, allErrors: true })
    formats.default(ajv)
    // Formats of JSON Schema that ajv-formats does not know.
    ajv.addFormat('idn-email', /^\S+@\S+$/)
    ajv.addFormat('iri', /^[a-z]+:\/\/\S+$/i)
    ajv.addSchema(document, 'daybook')
  })
  after(async () => {
    await service.discard()
    folder.remove()
  })

  const at = (pointer: string): unknown =>
    pointer
      .split('/')
      .slice(1)
      .reduce<unknown>(
        (value, step) => (value as Fields)[step.replaceAll('~1', '/').replaceAll('~0', '~')],
        document,
      )

  const validatorAt = (pointer: string): ValidateFunction => {
    let validate = validators.get(pointer)
    if (!validate)
      validators.set(pointer, (validate = ajv.compile({ $ref: `daybook#${encodeURI(pointer)}` })))
    return validate
  }

  /** The path of the document that this one is an instance of. */
  const templateOf = (path: string): string => {
    const [plain = ''] = path.split('?')
    const fits = (template: string) =>
      new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(`/api/v1/${plain}`)
    // A path without a parameter goes before one that has it.
    const [found] = Object.keys(document.paths)
      .filter(fits)
      .sort((one, other) => one.split('{').length - other.split('{').length)
    if (found === undefined) throw new Error(`the document has no path for ${plain}`)
    return found
  }

  /** Asks, and holds the answer against the document. */
  const ask = async (method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const answer = await service.send(method, path, sent)
    const template = templateOf(path)
    const operation = document.paths[template]?.[method.toLowerCase()]
    if (!operation) throw new Error(`the document has no ${method} ${template}`)
    const name = `${method} ${template} ${answer.status}`
    asked.set(`${method} ${template}`, (asked.get(`${method} ${template}`) ?? new Set()).add(answer.status))

    const status = [String(answer.status), `${Math.floor(answer.status / 100)}XX`].find(
      (one) => one in operation.responses,
    )
    const described = status === undefined ? undefined : operation.responses[status]
    if (status === undefined || !described)
      throw new Error(`${name} is not described: ${answer.text.slice(0, 300)}`)
    const pointer =
      described.$ref?.slice(1) ?? steps('paths', template, method.toLowerCase(), 'responses', status)
    const { content, headers = {} } = at(pointer) as Response
    if (content) {
      const sentAs = answer.headers.get('Content-Type') ?? ''
      const type = sentAs.split(';')[0]!
      expect(Object.keys(content), name).to.include(type)
      // What is no JSON is held against its own format elsewhere.
      if (!['application/json', 'application/jsonl'].includes(type)) return answer
      expect(sentAs, name).to.equal(`${type}; charset=utf-8`)
      const validate = validatorAt(`${pointer}${steps('content', type, 'schema')}`)
      // JSON Lines are described by what a line is.
      const values = type === 'application/jsonl' ? answer.text.split('\n').slice(0, -1) : [answer.text]
      for (const value of values)
        if (!validate(JSON.parse(value)))
          throw new Error(`${name}: ${ajv.errorsText(validate.errors)}: ${value.slice(0, 500)}`)
    } else expect(answer.text, name).to.equal('')
    const told = new Set(Object.keys(headers).map((header) => header.toLowerCase()))
    const untold = [...answer.headers.keys()].filter((header) => !told.has(header) && !COMMON.test(header))
    expect(untold, `${name}: headers that are not described`).to.deep.equal([])
    for (const [header, reference] of Object.entries(headers)) {
      const value = answer.headers.get(header)
      if (value === null) {
        // A dry run stores no version.
        const isJudged = header === 'ETag' && answer.headers.has('Daybook-Dry-Run')
        if (reference.required !== false && !isJudged)
          expect(OPTIONAL_HEADERS, `${name} without ${header}`).to.include(header)
        continue
      }
      const { schema } = (reference.$ref ? at(reference.$ref.slice(1)) : reference) as {
        schema: { pattern?: string; const?: string }
      }
      if (schema.pattern) expect(value, `${name} ${header}`).to.match(new RegExp(schema.pattern))
      if (schema.const) expect(value, `${name} ${header}`).to.equal(schema.const)
    }
    return answer
  }

  const objects = () =>
    Object.keys(document.paths).flatMap((path) => /^\/api\/v1\/([a-z0-9]+)\/batch$/.exec(path)?.[1] ?? [])

  /** The document's own example of a body, with Keys of records that are there. */
  const exampleOf = async (method: string, template: string, unique: string): Promise<Fields> => {
    const content = document.paths[template]?.[method]?.requestBody?.content['application/json']
    const example: Record<string, Json> = { ...content?.example }
    for (const [name, value] of Object.entries(example)) {
      const target = typeof value === 'string' ? /^([a-z0-9]+)-[0-9a-z]{26}$/.exec(value)?.[1] : undefined
      if (target !== undefined && someKeys.get(target) === '')
        delete example[name] // is itself being created
      else if (target !== undefined) example[name] = await someKeyOf(target)
      else if (isUnique(template, name))
        example[name] = typeof value === 'string' ? `${unique}${value}` : Number(unique)
    }
    return example
  }
  const isUnique = (template: string, field: string) =>
    `/api/v1/${template.split('/')[3]}/by/${field}/{value}` in document.paths

  const someKeys = new Map<string, string>()
  let count = 1_000
  const someKeyOf = async (object: string): Promise<string> => {
    let key = someKeys.get(object)
    if (key === undefined) {
      someKeys.set(object, '')
      const body = await exampleOf('post', `/api/v1/${object}`, String(count++))
      const answer = await ask('POST', object, { body })
      expect(answer.status, `${object}: ${answer.text}`).to.equal(201)
      someKeys.set(object, (key = answer.data.Id))
    }
    return key
  }

  it('names an example for every create, and the service takes it', async () => {
    expect(objects()).to.include.members(['contract', 'tenant', 'workorder', 'gadget'])
    for (const object of objects()) await someKeyOf(object)
  })

  it('describes what lists answer, whole and in part', async () => {
    for (const object of objects()) {
      expect((await ask('GET', object)).list).not.to.deep.equal([])
      await ask('GET', `${object}?fields=Id`)
      await ask('GET', `${object}?page=1000&pageSize=1000`)
      expect((await ask('GET', `${object}?page=0&sort=Nope`)).status).to.equal(400)
    }
    for (const path of [
      'contract?expand=Tenant,Building,Unit',
      'document?expand=Contract,Tenant',
      'gadget?expand=Parent&fields=Parent',
    ])
      await ask('GET', path)
    await ask('GET', 'contract', { headers: { Authorization: 'Bearer no' } })
    await ask('GET', 'contract', { headers: { 'Daybook-At-Least': 'x' } })
  })

  it('describes records with every field and with none', async () => {
    const tenant = await someKeyOf('tenant')
    const parent = await someKeyOf('gadget')
    const full = await ask('POST', 'gadget', { body: { ...everyField, Tenant: tenant, Parent: parent } })
    expect(full.status, full.text).to.equal(201)
    const bare = await ask('POST', 'gadget', { body: { Name: 'bare' } })
    for (const { data } of [full, bare]) {
      const path = `gadget/${data.Id}`
      for (const query of ['', '?expand=Tenant,Parent', '?fields=Name,Data', '?fields=Tenant&expand=Tenant'])
        expect((await ask('GET', `${path}${query}`)).status).to.equal(200)
      expect((await ask('GET', path, { headers: { 'If-None-Match': '"1"' } })).status).to.equal(304)
    }
  })

  it('describes every write of every object, and its refusals', async () => {
    for (const object of objects()) {
      const path = `${object}/${String((await ask('POST', object, { body: await exampleOf('post', `/api/v1/${object}`, String(count++)) })).data['Id'])}`
      expect((await ask('GET', path)).status).to.equal(200)
      for (const method of ['PUT', 'PATCH']) {
        const body = await exampleOf(method.toLowerCase(), `/api/v1/${object}/{key}`, String(count++))
        const changed = await ask(method, path, { body })
        expect(changed.status, `${method} ${path}: ${changed.text}`).to.equal(200)
        expect((await ask(method, `${path}?dryRun=true`, { body })).status).to.equal(200)
        expect((await ask(method, path, { body: { Nope: 1 } })).status).to.equal(400)
        expect((await ask(method, path, { body, headers: { 'If-Match': '"99"' } })).status).to.equal(412)
        expect(
          (await ask(method, path, { body: 'x', headers: { 'Content-Type': 'text/plain' } })).status,
        ).to.equal(415)
        if (object === 'contract')
          expect((await ask(method, path, { body: 'x'.repeat(1_048_577) })).status).to.equal(413)
        expect((await ask(method, `${object}/${object}-${'0'.repeat(26)}`, { body })).status).to.equal(404)
      }
      expect((await ask('POST', object, { body: { Nope: 1 } })).status).to.equal(400)
      expect(
        (await ask('POST', object, { body: 'x', headers: { 'Content-Type': 'text/plain' } })).status,
      ).to.equal(415)
      if (object === 'contract')
        expect((await ask('POST', object, { body: 'x'.repeat(1_048_577) })).status).to.equal(413)
      expect((await ask('DELETE', path, { headers: { 'If-Match': '"99"' } })).status).to.equal(412)
      expect((await ask('DELETE', path)).status).to.equal(200)
      expect((await ask('GET', path)).status).to.equal(404)
      expect((await ask('DELETE', path)).status).to.equal(404)
      expect((await ask('POST', `${path}/restore`)).status).to.equal(200)
      expect((await ask('POST', `${object}/${object}-${'0'.repeat(26)}/restore`)).status).to.equal(404)

      const good = await exampleOf('post', `/api/v1/${object}`, String(count++))
      expect((await ask('POST', `${object}?dryRun=true`, { body: good })).status).to.equal(200)
      const batch = await ask('POST', `${object}/batch`, {
        body: { Records: [good, { Nope: 1 }, 5], AllowPastDates: true },
      })
      expect(batch.list.map(({ Status }) => Status)).to.deep.equal([201, 400, 400])
      expect((await ask('POST', `${object}/batch`, { body: { Records: [] } })).status).to.equal(400)
      for (const path of ['import/template.csv', 'import/template.xlsx', 'export?format=csv'])
        expect((await ask('GET', `${object}/${path}`)).status, `${object}/${path}`).to.equal(200)
      expect((await ask('GET', `${object}/export?format=pdf`)).status).to.equal(400)
      const file = { body: `Nothing\n${object}\n`, headers: CSV }
      expect((await ask('POST', `${object}/import`, file)).status).to.equal(202)
    }
    expect((await ask('DELETE', `tenant/${await someKeyOf('tenant')}`)).status).to.equal(409)
  })

  it('describes workflows, and what they refuse', async () => {
    const of = Object.keys(document.paths).flatMap(
      (path) => /([a-z0-9]+)\/{key}\/workflow$/.exec(path)?.[1] ?? [],
    )
    expect(of).to.include.members(['contract', 'workorder', 'payment'])
    for (const object of of) {
      const body = await exampleOf('post', `/api/v1/${object}`, String(count++))
      const path = `${object}/${(await ask('POST', object, { body })).data.Id}/workflow`
      const { Actions } = (await ask('GET', path)).data as unknown as { Actions: { Action: string }[] }
      const action = `${path}/${Actions[0]!.Action}`
      expect((await ask('POST', action, { body: { Nope: 1 } })).status).to.equal(400)
      expect((await ask('POST', action, { headers: { 'If-Match': '"99"' } })).status).to.equal(412)
      const text = { body: 'x', headers: { 'Content-Type': 'text/plain' } }
      expect((await ask('POST', action, text)).status).to.equal(415)
      expect((await ask('POST', `${action}?dryRun=true`, { body: { Comment: 'x' } })).status).to.equal(200)
      expect((await ask('POST', action, { body: { Comment: 'x' } })).status).to.equal(200)
      expect((await ask('POST', action)).status).to.equal(409)
      expect((await ask('GET', path)).status).to.equal(200)
      expect((await ask('POST', `${path}/nope`)).status).to.equal(404)
      expect((await ask('GET', `${object}/${object}-${'0'.repeat(26)}/workflow`)).status).to.equal(404)
      expect((await ask('GET', `${path}?x=1`)).status).to.equal(400)
    }
    const { Id } = await service.create(
      'contract',
      await exampleOf('post', '/api/v1/contract', String(count++)),
    )
    await ask('POST', `contract/${Id}/workflow/submit`)
    expect((await ask('GET', 'waiting?object=contract')).status).to.equal(200)
    expect((await ask('POST', `contract/${Id}/workflow/approve`)).status).to.equal(403)
  })

  it('describes upserts', async () => {
    for (const template of Object.keys(document.paths).filter((path) => path.includes('/by/'))) {
      const value = String(count++)
      const path = template.slice('/api/v1/'.length).replace('{value}', value)
      const email = path.includes('/by/Email/') ? path.replace(value, `${value}@example.com`) : path
      const body = await exampleOf('put', template, String(count++))
      expect((await ask('PUT', `${email}?dryRun=true`, { body })).status).to.equal(200)
      const created = await ask('PUT', email, { body })
      expect(created.status, `${email}: ${created.text}`).to.equal(201)
      expect((await ask('PUT', email, { body })).status).to.equal(200)
      expect((await ask('PUT', email, { body: { Nope: 1 } })).status).to.equal(400)
      expect((await ask('PUT', email, { body, headers: { 'If-Match': '"99"' } })).status).to.equal(412)
    }
  })

  it('describes what happened: histories and the audit', async () => {
    for (const object of objects()) {
      const path = `${object}/${await someKeyOf(object)}/history`
      expect((await ask('GET', path)).list).not.to.deep.equal([])
      expect((await ask('GET', `${path}?page=0`)).status).to.equal(400)
      expect((await ask('GET', `${object}/${object}-${'0'.repeat(26)}/history`)).status).to.equal(404)
      const changes = await ask('GET', `${object}/changes`)
      expect(changes.list).not.to.deep.equal([])
      await ask('GET', `${object}/changes?since=${changes.json['Next'] as string}`)
      expect((await ask('GET', `${object}/changes?since=nope`)).status).to.equal(400)
      expect((await ask('GET', `${object}/${await someKeyOf(object)}?asOf=1`)).status).to.equal(200)
    }
    for (const asOf of ['2001-01-01', '2999-01-01']) {
      expect((await ask('GET', `contract?asOf=${asOf}&pageSize=2`)).status).to.equal(200)
    }
    expect((await ask('GET', 'audit')).list).to.have.length(25)
    expect((await ask('GET', 'audit?from=never')).status).to.equal(400)
    expect((await ask('GET', 'audit/export')).text.split('\n')).to.have.length.greaterThan(50)
    expect((await ask('GET', 'audit/export?page=1')).status).to.equal(400)
  })

  it('describes answers that are given again', async () => {
    const headers = { 'Idempotency-Key': 'described' }
    for (let i = 0; i < 2; i++) await ask('POST', 'tenant', { body: { Name: 'again' }, headers })
    expect((await ask('POST', 'tenant', { body: { Name: 'other' }, headers })).status).to.equal(409)
  })

  it('has an example of all that its page shows in commands', async () => {
    const { text } = await service.get('/docs')
    expect(text.split('\n').filter((line) => /undefined|\[object/.test(line))).to.deep.equal([])
  })

  it('describes health', async () => {
    expect((await ask('GET', 'health')).status).to.equal(200)
    expect((await ask('GET', 'health/live')).status).to.equal(200)
    expect((await ask('GET', 'health/ready')).status).to.equal(200)
  })

  it('describes the warehouse', async () => {
    expect((await ask('GET', 'warehouse')).list).not.to.deep.equal([])
    for (const format of ['json', 'jsonl', 'csv', 'parquet'])
      expect((await ask('GET', `warehouse/wh_Leasing_Contract?format=${format}`)).status).to.equal(200)
    expect((await ask('GET', 'warehouse/wh_Leasing_Contract?format=xml')).status).to.equal(400)
    expect((await ask('GET', 'warehouse/wh_Leasing_Nope')).status).to.equal(404)
    expect((await ask('GET', 'warehouse/snapshot')).status).to.equal(200)
    const { example } =
      document.paths['/api/v1/warehouse/query']!['post']!.requestBody!.content['application/json']!
    expect((await ask('POST', 'warehouse/query', { body: example })).status).to.equal(200)
    expect((await ask('POST', 'warehouse/query', { body: { Sql: 'DROP TABLE x' } })).status).to.equal(400)
  })

  it('describes objects', async () => {
    expect((await ask('GET', 'objects')).status).to.equal(200)
  })

  it('describes projections', async () => {
    expect((await ask('GET', 'projections')).status).to.equal(200)
    expect((await ask('POST', 'projections/records/resume')).status).to.equal(200)
    expect((await ask('POST', 'projections/records/rebuild')).status).to.equal(202)
    expect((await ask('POST', 'projections/nope/rebuild')).status).to.equal(404)
  })

  it('describes webhooks and what is sent to them', async () => {
    expect((await ask('GET', 'webhooks/events')).list).not.to.deep.equal([])
    const body = { Url: 'https://192.88.98.1/hook', Events: ['contract.*'], IsActive: false }
    const created = await ask('POST', 'webhooks', { body })
    expect(created.status, created.text).to.equal(201)
    const short = await ask('POST', 'webhooks', { body: { ...body, Secret: 'short' } })
    expect(short.data['Warning']).to.be.a('string')
    for (const Url of ['https://10.0.0.1/', 'nope'])
      expect((await ask('POST', 'webhooks', { body: { ...body, Url } })).status).to.equal(400)
    const path = `webhooks/${created.data.Id}`
    const nowhere = `webhooks/webhook-${'0'.repeat(26)}`
    expect((await ask('GET', 'webhooks?pageSize=1&sort=-Url')).list).to.have.length(1)
    expect((await ask('GET', 'webhooks?fields=Url')).list[0]).to.have.all.keys('Id', 'Url')
    expect((await ask('GET', 'webhooks?sort=Secret')).status).to.equal(400)
    expect((await ask('GET', path)).status).to.equal(200)
    expect((await ask('GET', path, { headers: { 'If-None-Match': '"1"' } })).status).to.equal(304)
    expect((await ask('GET', nowhere)).status).to.equal(404)
    expect((await ask('POST', `${path}/ping`)).status).to.equal(409)
    expect((await ask('PATCH', path, { body: { Nope: 1 } })).status).to.equal(400)
    expect((await ask('PATCH', nowhere, { body: {} })).status).to.equal(404)
    const changed = await ask('PATCH', path, { body: { IsActive: true, Description: 'mine' } })
    expect(changed.status, changed.text).to.equal(200)
    expect((await ask('POST', `${path}/rotate-secret`)).data['Secret']).to.be.a('string')
    const ifMatch = { headers: { 'If-Match': '"99"' } }
    expect((await ask('POST', `${path}/rotate-secret`, ifMatch)).status).to.equal(412)
    const ping = await ask('POST', `${path}/ping`)
    expect(ping.status, ping.text).to.equal(202)
    expect((await ask('POST', `${nowhere}/ping`)).status).to.equal(404)
    const delivery = `${path}/deliveries/${ping.data.Id}`
    expect((await ask('GET', `${path}/deliveries?event=webhook.ping`)).list).to.have.length(1)
    expect((await ask('GET', `${path}/deliveries?state=nope`)).status).to.equal(400)
    expect((await ask('GET', delivery)).status).to.equal(200)
    expect((await ask('GET', `${path}/deliveries/delivery-${'0'.repeat(26)}`)).status).to.equal(404)
    expect((await ask('POST', `${delivery}/redeliver`)).status).to.equal(202)
    expect((await ask('POST', `${path}/replay`, { body: { From: 'nope' } })).status).to.equal(400)
    const replay = await ask('POST', `${path}/replay`, { body: { From: 'beginning' } })
    expect(replay.status).to.equal(202)
    expect((await ask('GET', `${path}/replay/${replay.data.Id}`)).status).to.equal(200)
    expect((await ask('GET', `${path}/replay/replay-${'0'.repeat(26)}`)).status).to.equal(404)
    expect((await ask('DELETE', path, ifMatch)).status).to.equal(412)
    expect((await ask('DELETE', path)).status).to.equal(200)
    expect((await ask('DELETE', path)).status).to.equal(404)
  })

  it('describes notifications', async () => {
    const none = '0'.repeat(26)
    const body =
      document.paths['/api/v1/notifications/templates']!['post']!.requestBody!.content['application/json']!
        .example
    const uploaded = await ask('POST', 'notifications/templates', { body })
    const path = `notifications/templates/${(uploaded.data['template'] as { readonly Id: string }).Id}`
    expect((await ask('POST', 'notifications/templates', { body: {} })).status).to.equal(400)
    expect((await ask('POST', 'notifications/templates/validate', { body })).status).to.equal(200)
    expect((await ask('GET', 'notifications/templates')).list).to.have.length(1)
    expect((await ask('GET', `${path}/versions`)).list).to.have.length(1)
    expect((await ask('GET', 'notifications/bounces')).status).to.equal(200)
    const house = { layout: { name: 'House', body: '<p>{{content}}</p>' } }
    const layout = await ask('POST', 'notifications/layouts', { body: house })
    const layoutPath = `notifications/layouts/${(layout.data['layout'] as { readonly Id: string }).Id}`
    expect((await ask('POST', 'notifications/layouts/validate', { body: house })).status).to.equal(200)
    expect((await ask('GET', 'notifications/layouts')).list).to.have.length(1)
    expect((await ask('GET', layoutPath)).status).to.equal(200)
    expect((await ask('PUT', layoutPath, { body: house })).status).to.equal(200)
    expect((await ask('GET', `${layoutPath}/versions`)).list).to.have.length(1)
    expect((await ask('GET', `${layoutPath}/versions/1`)).status).to.equal(200)
    expect((await ask('POST', `${layoutPath}/revert`, { body: { version: 1 } })).status).to.equal(200)
    expect((await ask('DELETE', layoutPath)).status).to.equal(200)
    await ask('GET', path)
    await ask('GET', `notifications/templates/template-${none}`)
    await ask('PUT', path, { body })
    await ask('PUT', path, { body, headers: { 'If-Match': '"9"' } })
    await ask('GET', `${path}/versions/1`)
    await ask('POST', `${path}/revert`, { body: { version: 1 } })
    const record = await someKeyOf('contract')
    expect((await ask('POST', `${path}/preview`, { body: { record } })).status).to.equal(200)
    expect((await ask('POST', `${path}/test`, { body: { record } })).status).to.equal(409)
    const user = await makeUser(service, ['notification_manager', 'viewer'])
    const headers = withCookie(await logIn(service, user))
    expect((await ask('POST', `${path}/test`, { body: { record }, headers })).status).to.equal(200)
    rmSync(join(service.dataDir, 'mail'), { recursive: true })
    expect((await ask('GET', 'notifications/triggers')).status).to.equal(200)

    const Address = 'zoe@example.com'
    const suppressed = await ask('POST', 'notifications/suppressions', { body: { Address } })
    await ask('POST', 'notifications/suppressions', { body: { Address: 'zoe' } })
    await ask('GET', 'notifications/suppressions')
    await ask('DELETE', `notifications/suppressions/${suppressed.data.Id}`)
    await ask('DELETE', `notifications/suppressions/suppression-${none}`)
    expect((await ask('DELETE', path)).status).to.equal(200)
  })

  it('describes messages', async () => {
    const template = { name: 'Gadget', trigger: 'gadget-created', subject: 'A gadget', body: '<p>{{Id}}</p>' }
    await ask('POST', 'notifications/templates', { body: { template } })
    // Where mails cannot be kept, what became of one is not known.
    writeFileSync(join(service.dataDir, 'mail'), '')
    const example = await exampleOf('post', '/api/v1/gadget', String(count++))
    expect((await ask('POST', 'gadget', { body: example })).status).to.equal(201)
    let message: Data | undefined
    for (let looks = 0; looks < 200 && message?.['State'] !== 'uncertain'; looks++) {
      message = (await ask('GET', 'notifications/messages')).list[0]
      await delay(50)
    }
    const path = `notifications/messages/${message!.Id}`
    expect((await ask('GET', path)).data).to.include({ Trigger: 'gadget-created', State: 'uncertain' })
    expect((await ask('POST', `${path}/settle`, { body: { as: 'failed' } })).status).to.equal(200)
    expect((await ask('POST', `${path}/settle`, { body: { as: 'failed' } })).status).to.equal(409)
    expect((await ask('POST', `${path}/resend`)).status).to.equal(200)
    expect(
      (await ask('POST', `notifications/messages/notification-${'0'.repeat(26)}/resend`)).status,
    ).to.equal(404)
  })

  it('describes who may use the service', async () => {
    const password = 'correct horse battery staple'
    const statusOf = async (...asking: Parameters<typeof ask>) => (await ask(...asking)).status
    const firm = await ask('POST', 'identity/companies', {
      body: { Name: 'Other', AdminEmail: 'bo@example.com', AdminPassword: password },
    })
    expect(firm.status, firm.text).to.equal(201)
    const { Id: company } = firm.data
    expect(await statusOf('POST', 'identity/companies', { body: { Name: 1 } })).to.equal(400)
    expect(await statusOf('GET', 'identity/companies')).to.equal(200)
    expect(await statusOf('GET', `identity/companies/${company}`)).to.equal(200)
    expect(await statusOf('GET', `identity/companies/company-${'0'.repeat(26)}`)).to.equal(404)
    const change = { body: { SessionTimeoutMinutes: 60 } }
    expect(await statusOf('PATCH', `identity/companies/${company}`, change)).to.equal(200)

    const login = { Email: 'bo@example.com', Password: password, CompanyKey: company }
    const session = await ask('POST', 'identity/login', { body: login })
    expect(session.status).to.equal(200)
    const cookie = session.headers.get('Set-Cookie')?.split(';')[0] ?? ''
    const own = { Authorization: '', Cookie: cookie, Origin: APP_ORIGIN }
    expect(await statusOf('PATCH', 'identity/me', { body: { Name: 'Bo' }, headers: own })).to.equal(200)
    expect(await statusOf('POST', 'identity/login', { body: { ...login, Password: 'no' } })).to.equal(401)
    expect(await statusOf('POST', 'identity/login', { body: { ...login, Password: {} } })).to.equal(400)
    expect(await statusOf('POST', 'identity/logout')).to.equal(200)
    expect(await statusOf('GET', 'identity/me')).to.equal(200)
    expect(await statusOf('PATCH', 'identity/me', { body: { Name: 'x' } })).to.equal(403)

    const body = { Email: 'cy@example.com', Name: 'Cy', Password: password, Roles: ['viewer'] }
    const user = await ask('POST', 'identity/users', { body })
    expect(user.status, user.text).to.equal(201)
    const userPath = `identity/users/${user.data.Id}`
    expect(await statusOf('POST', 'identity/users', { body })).to.equal(409)
    expect(await statusOf('GET', 'identity/users?sort=Name&fields=Name')).to.equal(200)
    expect(await statusOf('GET', userPath)).to.equal(200)
    expect(await statusOf('GET', `${userPath}/rights?object=contract`)).to.equal(200)
    expect(await statusOf('GET', `${userPath}/rights`)).to.equal(200)
    expect(
      await statusOf('POST', 'identity/login', {
        body: {
          ...login,
          Email: body.Email,
          CompanyKey: await companyOf(service),
        },
      }),
    ).to.equal(200)
    const logins = await ask('GET', `${userPath}/sessions`)
    const loggedInAt = `${userPath}/sessions/${logins.list[0]!.Id}`
    expect(await statusOf('DELETE', loggedInAt)).to.equal(200)
    expect(await statusOf('DELETE', loggedInAt)).to.equal(404)
    expect(await statusOf('PATCH', userPath, { body: { IsActive: false } })).to.equal(200)
    const stale = { 'If-Match': '"99"' }
    expect(await statusOf('PATCH', userPath, { body: { Name: 'x' }, headers: stale })).to.equal(412)
    expect(await statusOf('DELETE', userPath)).to.equal(200)
    expect(await statusOf('DELETE', userPath)).to.equal(404)

    const token = await ask('POST', 'identity/tokens', { body: { Name: 'sync', Roles: ['viewer'] } })
    expect(token.status, token.text).to.equal(201)
    const tokenPath = `identity/tokens/${token.data.Id}`
    expect(await statusOf('POST', 'identity/tokens', { body: { Name: 'x', Roles: 'all' } })).to.equal(400)
    expect(await statusOf('GET', 'identity/tokens')).to.equal(200)
    expect(await statusOf('GET', tokenPath)).to.equal(200)
    expect(await statusOf('POST', `${tokenPath}/rotate`)).to.equal(200)
    expect(await statusOf('DELETE', tokenPath)).to.equal(200)
    expect(await statusOf('POST', `${tokenPath}/rotate`)).to.equal(404)
  })

  it('says what is answered about roles', async () => {
    const statusOf = async (...asking: Parameters<typeof ask>) => (await ask(...asking)).status
    const body = { Name: 'lease_clerk', Grants: [{ Object: 'contract', Actions: ['read'] }] }
    const role = await ask('POST', 'identity/roles', { body })
    expect(role.status, role.text).to.equal(201)
    const path = `identity/roles/${role.data.Id}`
    expect(await statusOf('POST', 'identity/roles', { body })).to.equal(409)
    expect(await statusOf('POST', 'identity/roles', { body: { ...body, Grants: [{}] } })).to.equal(400)
    expect(await statusOf('GET', 'identity/roles?pageSize=100')).to.equal(200)
    expect(await statusOf('GET', path)).to.equal(200)
    expect(await statusOf('GET', 'identity/roles/role-viewer')).to.equal(200)
    expect(await statusOf('PATCH', path, { body: { Description: 'Reads.' } })).to.equal(200)
    expect(await statusOf('DELETE', path)).to.equal(200)
    expect(await statusOf('DELETE', path)).to.equal(404)
  })

  it('describes imports', async () => {
    const file = { body: 'Name,ExternalId\nAnn,O-1\n,O-2\n', headers: CSV }
    const sent = await ask('POST', 'tenant/import', file)
    expect(sent.status, sent.text).to.equal(202)
    expect((await ask('POST', 'tenant/import', file)).status).to.equal(409)
    const path = `imports/${sent.data.Id}`
    const end = async () => {
      await settled(service, sent.data.Id)
      return (await ask('GET', path)).data['State']
    }
    expect(await end()).to.equal('Checked')
    expect((await ask('GET', 'imports')).status).to.equal(200)
    expect((await ask('GET', `${path}/preview`)).status).to.equal(200)
    const Fields = { Name: { Column: 'Name' }, ExternalId: { Column: 'ExternalId' } }
    expect((await ask('PUT', `${path}/mapping`, { body: { Fields } })).status).to.equal(202)
    await end()
    expect((await ask('POST', `${path}/check`)).status).to.equal(202)
    await end()
    expect((await ask('GET', `${path}/rows?outcome=failed`)).list.length).to.equal(1)
    expect((await ask('POST', `${path}/commit`, { body: { OnError: 'continue' } })).status).to.equal(202)
    expect(await end()).to.equal('CompletedWithErrors')
    expect((await ask('GET', `${path}/rows`)).list.length).to.equal(2)
    for (const file of ['errors.csv', 'errors.xlsx', 'results.csv', 'results.xlsx'])
      expect((await ask('GET', `${path}/${file}`)).status, file).to.equal(200)
    expect((await ask('POST', `${path}/retry`)).status).to.equal(202)
    expect(await end()).to.equal('CompletedWithErrors')
    expect((await ask('POST', `${path}/commit`)).status).to.equal(409)
    const other = await ask('POST', 'tenant/import', { ...file, body: 'Name\nBea\n' })
    await settled(service, other.data.Id)
    expect((await ask('POST', `imports/${other.data.Id}/cancel`)).status).to.equal(202)
  })

  it('describes what is proposed for imports, kept of them, and their undo', async () => {
    const sent = await ask('POST', 'tenant/import?commit=true', { body: 'Name\nCy\n', headers: CSV })
    await settled(service, sent.data.Id)
    const path = `imports/${sent.data.Id}`
    expect((await ask('GET', `${path}/suggestions`)).status).to.equal(200)
    const undo = await ask('POST', `${path}/undo`, { body: { Commit: true } })
    expect(undo.status, undo.text).to.equal(202)
    await settled(service, undo.data.Id)
    expect((await ask('POST', `${path}/undo`)).status).to.equal(409)

    const body = { Name: 'Tenants', Object: 'tenant', Mapping: { Fields: { Name: { Column: 'Name' } } } }
    const kept = await ask('POST', 'import-profiles', { body })
    expect(kept.status, kept.text).to.equal(201)
    const profile = `import-profiles/${kept.data.Id}`
    expect((await ask('POST', 'import-profiles', { body: { Name: 1 } })).status).to.equal(400)
    const suggest = { body: { Object: 'tenant', Columns: ['Name'] } }
    expect((await ask('POST', 'import-profiles/suggest', suggest)).status).to.equal(200)
    expect((await ask('GET', 'import-profiles')).list).to.have.length(1)
    expect((await ask('GET', profile)).status).to.equal(200)
    expect((await ask('PUT', profile, { body })).status).to.equal(200)

    const schedule = { Name: 'Nightly', Object: 'tenant', Profile: kept.data.Id, RunAs: 'editor' }
    const when = { Source: { Kind: 'folder', Folder: 'office' }, Cron: '0 0 1 1 *' }
    const made = await ask('POST', 'import-schedules', { body: { ...schedule, ...when } })
    expect(made.status, made.text).to.equal(201)
    const to = `import-schedules/${made.data.Id}`
    expect((await ask('POST', 'import-schedules', { body: {} })).status).to.equal(400)
    expect((await ask('GET', 'import-schedules')).list).to.have.length(1)
    expect((await ask('GET', to)).status).to.equal(200)
    expect((await ask('PUT', to, { body: { ...schedule, ...when } })).status).to.equal(200)
    for (const action of ['test', 'run'])
      expect((await ask('POST', `${to}/${action}`)).status, action).to.be.below(300)
    expect((await ask('DELETE', to)).status).to.equal(200)
    expect((await ask('DELETE', profile)).status).to.equal(200)
  })

  it('describes matching of lines of bank accounts', async () => {
    const account = await service.create('bankaccount', { Name: 'Rent' })
    expect((await ask('POST', `bankaccount/${account.Id}/rematch`)).status).to.equal(200)
    const expected = await exampleOf('post', '/api/v1/payment', String(count++))
    const Amount = { Amount: 5, Currency: 'EUR' }
    const payment = await service.create('payment', { ...expected, Amount, Status: 'Expected' })
    const TransactionId = `line ${count++}`
    const body = { TransactionId, BookingDate: '2029-01-02', Amount }
    const line = `banktransaction/${(await service.create('banktransaction', body)).Id}`
    expect((await ask('GET', `${line}/matches`)).status).to.equal(200)
    const match = { body: { Payments: [{ Payment: payment.Id }] } }
    const matched = await ask('POST', `${line}/match`, match)
    expect(matched.status, matched.text).to.equal(200)
    expect((await ask('POST', `${line}/match`, { body: {} })).status).to.equal(400)
    expect((await ask('POST', `${line}/unmatch`)).status).to.equal(200)
    expect((await ask('POST', `${line}/ignore`)).status).to.equal(200)
    const nowhere = `banktransaction/banktransaction-${'0'.repeat(26)}`
    expect((await ask('GET', `${nowhere}/matches`)).status).to.equal(404)
  })

  it('describes logins of tools, which there are none of without PostgreSQL', async () => {
    const path = 'identity/warehouse-logins'
    expect((await ask('GET', path)).list).to.deep.equal([])
    expect((await ask('POST', path, { body: { Name: 'tool', Roles: [] } })).status).to.equal(409)
    for (const method of ['GET', 'DELETE'])
      expect((await ask(method, `${path}/warehouselogin-${'0'.repeat(26)}`)).status).to.equal(404)
  })

  it('describes integrations', async () => {
    const files = (await ask('GET', 'integrations/definitions?pageSize=50')).list
    const scimOf = (name: string) => files.find(({ Definition }) => Definition === name)?.['Scim']
    expect(scimOf('scim')).to.deep.equal({ Object: 'employee', Credential: 'token' })
    expect(scimOf('echo')).to.equal(null)
    expect((await ask('POST', 'integrations', { body: { Definition: 'nope' } })).status).to.equal(400)
    const body = { Definition: 'echo', Credentials: { secret: 's' } }
    const created = await ask('POST', 'integrations', { body })
    expect(created.status, created.text).to.equal(201)
    const path = `integrations/${created.data.Id}`
    const nowhere = `integrations/integration-${'0'.repeat(26)}`
    expect((await ask('GET', 'integrations?pageSize=1&sort=-Name')).list).to.have.length(1)
    expect((await ask('GET', 'integrations?fields=Name')).list[0]).to.have.all.keys('Id', 'Name')
    expect((await ask('GET', 'integrations?sort=Credentials')).status).to.equal(400)
    expect((await ask('GET', path)).status).to.equal(200)
    expect((await ask('GET', path, { headers: { 'If-None-Match': '"1"' } })).status).to.equal(304)
    expect((await ask('GET', nowhere)).status).to.equal(404)
    expect((await ask('PATCH', path, { body: { Nope: 1 } })).status).to.equal(400)
    expect((await ask('PATCH', path, { body: { Name: 'Echo' } })).status).to.equal(200)
    expect((await ask('POST', `${path}/pause`)).status).to.equal(409)
    for (const move of ['start', 'pause', 'start'])
      expect((await ask('POST', `${path}/${move}`)).status, move).to.equal(200)
    const next = { body: { Credential: 'secret', Value: 'next' } }
    expect((await ask('POST', `${path}/rotate-secret`, next)).status).to.equal(200)
    const preview = { body: { Payload: { id: '1', name: 'Ada' } } }
    expect((await ask('POST', `${path}/preview`, preview)).list).to.have.length(1)
    for (const to of [`in/${created.data.Id}`, `in/${created.data.Id}/events`]) {
      expect((await ask('GET', `${to}?validationToken=abc`)).text).to.equal('abc')
      expect((await ask('GET', to)).status).to.equal(404)
      const sent = { body: preview.body.Payload, headers: { 'X-Token': 'next' } }
      expect((await ask('POST', to, sent)).status).to.equal(200)
      expect((await ask('POST', to, { body: {} })).status).to.equal(401)
    }
    const [message] = (await ask('GET', `${path}/inbox`)).list
    expect((await ask('GET', `${path}/inbox?state=nope`)).status).to.equal(400)
    expect((await ask('GET', `${path}/inbox?from=2000-01-01`)).list).to.have.length(1)
    expect((await ask('GET', `${path}/inbox?from=2990-01-01`)).list).to.have.length(0)
    expect((await ask('GET', `${path}/inbox?from=today`)).status).to.equal(400)
    const row = `${path}/inbox/${message!.Id}`
    expect((await ask('GET', row)).status).to.equal(200)
    expect((await ask('GET', `${path}/inbox/inbox-${'0'.repeat(26)}`)).status).to.equal(404)
    expect((await ask('POST', `${row}/retry`)).status).to.equal(202)
    expect((await ask('POST', `${row}/quarantine`)).status).to.equal(202)
    const span = { body: { From: '2020-01-01T00:00:00Z' } }
    expect((await ask('POST', `${path}/replay`, span)).status).to.equal(202)
    expect((await ask('POST', `${path}/replay`, { body: {} })).status).to.equal(400)
    expect((await ask('POST', `${path}/stop`)).status).to.equal(200)
    expect((await ask('DELETE', path)).status).to.equal(200)
    expect((await ask('DELETE', path)).status).to.equal(404)
  })

  it('describes what integrations send', async () => {
    const Credentials = { user: 'any', apiKey: 'key', webhookSecret: 'secret' }
    const BaseUrl = 'https://example.com'
    const made = await ask('POST', 'integrations', {
      body: { Definition: 'mailchimp', BaseUrl, Credentials },
    })
    const path = `integrations/${made.data.Id}`
    await ask('POST', `${path}/start`)
    // Without the setting that names the list it cannot be sent.
    const body = { Email: 'sent@example.com', ConsentStatus: 'Subscribed' }
    expect((await ask('POST', 'campaigncontact', { body })).status).to.equal(201)
    const failed = await eventually('it has failed', async () => {
      const { list } = await ask('GET', `${path}/sent?state=failed`)
      expect(list).to.have.length(1)
      return list[0]!
    })
    expect((await ask('GET', `${path}/sent?state=nope`)).status).to.equal(400)
    expect((await ask('GET', `${path}/sent?from=2000-01-01`)).list).to.have.length(1)
    expect((await ask('GET', `${path}/sent?from=2990-01-01T00:00:00Z`)).list).to.have.length(0)
    expect((await ask('GET', `${path}/sent?from=today`)).status).to.equal(400)
    expect((await ask('POST', `${path}/sent/${failed.Id}/retry`)).status).to.equal(202)
    expect((await ask('POST', `${path}/sent/sending-${'0'.repeat(26)}/retry`)).status).to.equal(404)
    expect((await ask('GET', `${path}/sync`)).status).to.equal(404)
    expect((await ask('POST', `${path}/sync`)).status).to.equal(202)
    expect((await ask('GET', `${path}/sync`)).status).to.equal(200)
    expect((await ask('GET', `${path}/conflicts`)).status).to.equal(200)
    expect((await ask('GET', `${path}/polls`)).status).to.equal(200)
    const take = { body: { Take: {} } }
    expect((await ask('POST', `${path}/conflicts/inbox-${'0'.repeat(26)}/resolve`, take)).status).to.equal(
      404,
    )
    expect((await ask('DELETE', path)).status).to.equal(200)
  })

  it('describes forms', async () => {
    const made = await ask('POST', 'integrations', { body: { Definition: 'website-form' } })
    const path = `forms/${made.data.Id}`
    expect((await ask('GET', `${path}/challenge`)).status).to.equal(404)
    await ask('POST', `integrations/${made.data.Id}/start`)
    expect((await ask('GET', `${path}/challenge`)).status).to.equal(200)
    expect((await ask('GET', `${path}/form.js`)).status).to.equal(200)
    expect((await ask('POST', path, { body: { name: 'Ada' } })).status).to.equal(200)
    const plain = { 'Content-Type': 'application/x-www-form-urlencoded' }
    expect((await ask('POST', path, { body: 'name=Ada', headers: plain })).status).to.equal(200)
    const Settings = { thanksUrl: 'https://www.example.com/thanks' }
    await ask('PATCH', `integrations/${made.data.Id}`, { body: { Settings } })
    expect((await ask('POST', path, { body: 'name=Ada', headers: plain })).status).to.equal(303)
  })

  it('describes directories', async () => {
    const Credentials = { token: 'of-a-directory' }
    const made = await ask('POST', 'integrations', { body: { Definition: 'scim', Credentials } })
    const path = `scim/v2/${made.data.Id}`
    const headers = { Authorization: 'Bearer of-a-directory' }
    const scim = (method: string, below: string, body?: Fields) =>
      ask(method, `${path}${below}`, { headers, body })
    expect((await scim('GET', '/Users')).status).to.equal(404)
    await ask('POST', `integrations/${made.data.Id}/start`)
    expect((await ask('GET', `${path}/Users`)).status).to.equal(401)
    const type = 'urn:ietf:params:scim:schemas:core:2.0:User'
    const documents = [
      'ServiceProviderConfig',
      'ResourceTypes',
      'ResourceTypes/User',
      'Schemas',
      `Schemas/${type}`,
    ]
    for (const name of documents) expect((await scim('GET', `/${name}`)).status).to.equal(200)
    const ada = await scim('POST', '/Users', { userName: 'ada@example.com' })
    expect(ada.status).to.equal(201)
    expect((await scim('POST', '/Users', { userName: 'ada@example.com' })).status).to.equal(409)
    expect((await scim('POST', '/Users', {})).status).to.equal(400)
    const user = `/Users/${ada.json['id'] as string}`
    expect((await scim('GET', user)).status).to.equal(200)
    expect((await scim('GET', '/Users')).status).to.equal(200)
    for (const at of ['/.search', '/Users/.search'])
      expect((await scim('POST', at, { count: 1 })).status).to.equal(200)
    expect((await scim('PUT', user, { userName: 'ada@example.org' })).status).to.equal(200)
    const Operations = [{ op: 'replace', path: 'title', value: 'Countess' }]
    expect((await scim('PATCH', user, { Operations })).status).to.equal(200)
    expect((await scim('DELETE', user)).status).to.equal(204)
    expect((await scim('GET', user)).status).to.equal(404)
  })

  it('has no operation that was not asked and did not succeed', () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => method !== 'parameters')
        .map((method) => `${method.toUpperCase()} ${path}`),
    )
    const silent = operations.filter((name) => ![...(asked.get(name) ?? [])].some((status) => status < 300))
    expect(silent).to.have.members([
      'POST /api/v1/identity/warehouse-logins',
      'GET /api/v1/identity/warehouse-logins/{key}',
      'DELETE /api/v1/identity/warehouse-logins/{key}',
      // A conflict needs another system (`test/integrations/send.test.ts`).
      'POST /api/v1/integrations/{key}/conflicts/{message}/resolve',
    ])
  })
})
