/** A field that becomes unique when there are records: their values count at once, are claimed, and duplicates are reported. */
import { inspect } from 'node:util'
import { expect } from 'chai'
import { testService, type TestService } from '../support/service.ts'
import { definitionsFolder, gadget, type DefinitionFile } from './support/gadget.ts'
import { eventually } from './support/eventually.ts'

describe('a field that becomes unique', function () {
  this.timeout(60_000)
  const plain: DefinitionFile = {
    ...gadget,
    fields: gadget.fields.map((field) => {
      const { unique: _, ...rest } = field as { readonly unique?: boolean }
      return rest
    }),
  }
  const definitions = definitionsFolder(plain)
  const settings = { DEFINITIONS_DIR: definitions.path }
  let service: TestService
  let [first, second] = ['', '']

  before(async () => {
    service = await testService({ settings })
    first = (await service.create('gadget', { Name: 'A', Code: "X'1" })).Id
    second = (await service.create('gadget', { Name: 'B', Code: "X'1" })).Id
    definitions.write(gadget)
    await service.restart(settings)
  })
  after(async () => {
    await service.discard()
    definitions.remove()
  })

  const claimed = () => service.eventsOf('uniquefields').at(-1)?.data['Fields'] as string[]

  it('refuses the values that records have, and finds them, from the start on', async () => {
    const again = await service.post('gadget', { Name: 'C', Code: "X'1" })
    expect([again.status, again.faults]).to.deep.equal([409, ['Code: another gadget has this value']])
    const upserted = await service.put("gadget/by/Code/X'1", { Name: 'upserted' })
    expect([upserted.status, upserted.data.Id]).to.deep.equal([200, first])
    expect((await service.patch(`gadget/${second}`, { Name: 'still B' })).status).to.equal(200)
  })

  it('is claimed while the service runs; records that share a value are named in the log', async () => {
    await eventually('it is recorded', async () => expect(claimed()).to.include('gadget.Code'))
    expect(inspect(service.logged, { depth: 9 }))
      .to.include(`${second}: Code`)
      .and.not.include(`${first}: Code`)
    await service.patch(`gadget/${first}`, { Code: 'Y-1' })
    expect((await service.post('gadget', { Name: 'D', Code: 'Y-1' })).status).to.equal(409)
  })

  it('is not unique any more where its definition says so; then values are claimed again when it is', async () => {
    definitions.write(plain)
    await service.restart(settings)
    await eventually('it is recorded', async () => expect(claimed()).to.not.include('gadget.Code'))
    await service.create('gadget', { Name: 'E', Code: 'Z-1' })
    definitions.write(gadget)
    await service.restart(settings)
    expect((await service.post('gadget', { Name: 'F', Code: 'Z-1' })).status).to.equal(409)
    await eventually('it is recorded', async () => expect(claimed()).to.include('gadget.Code'))
    expect((await service.post('gadget', { Name: 'F', Code: 'Z-1' })).status).to.equal(409)
  })
})
