/** An object that is only a file: everything that the service does, it does for it, without code (docs/interface.md#objects). */
import { expect } from 'chai'
import { testService, type TestService, type Data } from '../support/service.ts'
import { definitionsFolder } from './support/gadget.ts'
import { KEY } from './support/leasing.ts'

const tool = {
  object: 'tool',
  name: 'Tool',
  application: 'Workshop',
  description: 'Something to work with.',
  display: 'Label',
  fields: [
    { name: 'ToolNumber', type: 'text', readOnly: true, searchable: true },
    { name: 'Label', type: 'text', required: true, searchable: true },
    { name: 'Barcode', type: 'text', unique: true },
    { name: 'Weight', type: 'decimal', minimum: 0, unit: 'kg' },
    { name: 'Price', type: 'money' },
    { name: 'Box', type: 'lookup', target: 'toolbox', searchable: true },
    { name: 'Condition', type: 'choice', choices: ['Good', 'Worn', 'Broken'], strict: true, default: 'Good' },
  ],
  numbering: { field: 'ToolNumber', pattern: 'T-{year}-{sequence}', digits: 3 },
} as const

const toolbox = {
  object: 'toolbox',
  name: 'Toolbox',
  application: 'Workshop',
  display: 'Name',
  fields: [
    { name: 'Name', type: 'text', required: true, searchable: true },
    { name: 'Building', type: 'lookup', target: 'building' },
  ],
} as const

describe('objects that are added as files', () => {
  const folder = definitionsFolder(tool, toolbox)
  let service: TestService
  let box: string
  let hammer: Data

  before(async () => {
    service = await testService({ settings: { DEFINITIONS_DIR: folder.path } })
  })
  after(async () => {
    await service.discard()
    folder.remove()
  })

  it('are created, numbered, and have Keys of their own', async () => {
    const { Id: building } = await service.create('building', { Name: 'Depot' })
    box = (await service.create('toolbox', { Name: 'Red box', Building: building })).Id
    expect(box).to.match(KEY('toolbox'))
    hammer = await service.create('tool', {
      Label: 'Claw hammer',
      Barcode: 'H-1',
      Weight: 0.75,
      Price: { Amount: 24.95, Currency: 'EUR' },
      Box: box,
    })
    expect(hammer['Id']).to.match(KEY('tool'))
    expect(hammer['ToolNumber']).to.match(/^T-\d{4}-001$/)
    expect(hammer).to.deep.include({ Condition: 'Good', Box: { Id: box, Name: 'Red box' } })
    await service.create('tool', { Label: 'Screwdriver', Weight: 0.2 })
  })

  it('are validated by their own rules', async () => {
    const answer = await service.post('tool', { Weight: -1, Condition: 'New', Box: 'red', Colour: 'red' })
    expect(answer.status).to.equal(400)
    const fields = answer.error.Details.map(({ Field }) => Field)
    expect(fields).to.have.members(['Label', 'Weight', 'Condition', 'Box', 'Colour'])
  })

  it('are changed, upserted, deleted and restored', async () => {
    const path = `tool/${hammer.Id}`
    expect((await service.patch(path, { Price: { Amount: 19.95 } })).data['Price']).to.deep.equal({
      Amount: 19.95,
      Currency: 'EUR',
    })
    expect((await service.put('tool/by/Barcode/H-1', { Condition: 'Worn' })).data['Id']).to.equal(
      hammer['Id'],
    )
    expect((await service.delete(`toolbox/${box}`)).status).to.equal(409)
    expect((await service.delete(path)).status).to.equal(200)
    expect((await service.get(path)).status).to.equal(404)
    expect((await service.post(`${path}/restore`)).data['Condition']).to.equal('Worn')
  })

  it('are listed, filtered, sorted, searched and expanded', async () => {
    const labels = async (parameters: Record<string, string>) =>
      (await service.list('tool', parameters)).list.map(({ Label }) => Label)
    expect(await labels({ sort: '-Weight' })).to.deep.equal(['Claw hammer', 'Screwdriver'])
    expect(await labels({ filter: 'Weight lt 0.5' })).to.deep.equal(['Screwdriver'])
    expect(await labels({ filter: "Box/Building/Name eq 'Depot' and Price gt 10" })).to.deep.equal([
      'Claw hammer',
    ])
    expect(await labels({ search: 'red ham' })).to.deep.equal(['Claw hammer'])
    const { list } = await service.list('tool', { expand: 'Box', filter: 'Box ne null', fields: 'Box' })
    expect(list).to.deep.equal([{ Id: hammer['Id'], Box: (await service.get(`toolbox/${box}`)).data }])
  })

  it('emit events of their own name', () => {
    expect(service.eventsOf(hammer.Id).map(({ type }) => type)).to.deep.equal([
      'tool.created',
      'tool.updated',
      'tool.updated',
      'tool.deleted',
      'tool.restored',
    ])
  })

  it('are in the OpenAPI document and on its page', async () => {
    const { json } = await service.get('openapi.json')
    expect(json['paths']).to.include.all.keys(
      '/api/v1/tool',
      '/api/v1/tool/{key}',
      '/api/v1/tool/by/Barcode/{value}',
    )
    expect((json['components'] as { schemas: object }).schemas).to.include.all.keys('Tool', 'Toolbox')
    const page = (await service.get('/docs')).text
    expect(page).to.include('Something to work with.').and.to.include('/api/v1/toolbox')
  })

  it('leave the shipped objects as they are', async () => {
    expect((await service.list('contract')).status).to.equal(200)
  })

  it('may take the place of a shipped one', async () => {
    const { Id } = await service.create('employee', { EmployeeNumber: 'E-1', Name: 'Ada' })
    folder.write({
      object: 'employee',
      name: 'Employee',
      application: 'HumanResources',
      display: 'Nickname',
      fields: [
        { name: 'Name', type: 'text', required: true, searchable: true },
        { name: 'Nickname', type: 'text' },
      ],
    })
    await service.restart()
    const { data } = await service.get(`employee/${Id}`)
    expect(Object.keys(data)).to.deep.equal(['Id', 'Name', 'Nickname', 'CreatedAt', 'ModifiedAt'])
    expect((await service.post('employee', { Name: 'Bob' })).status).to.equal(201)
    expect((await service.post('employee', { Name: 'Bob', EmployeeNumber: 'E-2' })).status).to.equal(400)
    await service.patch(`employee/${Id}`, { Nickname: 'Countess' })
    const building = await service.create('building', { Name: 'Depot', PropertyManager: Id })
    expect(building['PropertyManager']).to.deep.equal({ Id, Nickname: 'Countess' })
  })

  it('may change the types of their fields: what was written before is shown, and found by none', async () => {
    const changed = {
      ...tool,
      fields: tool.fields.map(({ name, ...field }) =>
        name === 'Price'
          ? { name, type: 'decimal' }
          : name === 'Weight'
            ? { name, type: 'text' }
            : { name, ...field },
      ),
    }
    const old = await service.create('tool', {
      Label: 'Old saw',
      Weight: 3,
      Price: { Amount: 9.5, Currency: 'EUR' },
    })
    folder.write(changed)
    await service.restart()
    const fresh = await service.create('tool', { Label: 'New saw', Weight: 'heavy', Price: 12.5 })
    expect((await service.get(`tool/${old.Id}`)).data).to.deep.include({
      Weight: 3,
      Price: { Amount: 9.5, Currency: 'EUR' },
    })
    expect((await service.list('tool', { filter: 'Price gt 0' })).list.map(({ Id }) => Id)).to.deep.equal([
      fresh.Id,
    ])
    expect(
      (await service.list('tool', { search: 'saw', sort: '-Weight' })).list.map(({ Id }) => Id),
    ).to.deep.equal([fresh.Id, old.Id])
    expect((await service.patch(`tool/${old.Id}`, { Price: 9.5 })).data['Price']).to.equal(9.5)
    const { list } = await service.get(`tool/${old.Id}/history`)
    expect(list.at(-1)!['Changes']).to.deep.equal({
      Price: { From: { Amount: 9.5, Currency: 'EUR' }, To: 9.5 },
    })
  })

  it('nothing has gone wrong inside, and what does not fit any more was named', () => {
    const messages = service.logged.map(({ message }) => message)
    expect(new Set(messages)).to.deep.equal(
      new Set(
        ['bamboohr', 'scim'].map(
          (name) => `the integration ${name} is left out: it does not fit your definitions`,
        ),
      ),
    )
  })
})
