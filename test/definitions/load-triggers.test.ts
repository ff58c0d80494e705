/** The files of triggers that are shipped, and their schema for editors. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { loadTriggers, triggerJsonSchema } from '../../src/definitions/load-triggers.ts'
import { triggerFaults } from '../../src/notifications/triggers.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'

const shipped = join(import.meta.dirname, '..', '..', 'definitions')
const folder = join(shipped, 'triggers')

describe('the triggers that are shipped', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.json'),
  )
  const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')

  it('are all read, and lead editors to their schema', () => {
    const triggers = loadTriggers([shipped], loadDefinitions([shipped]))
    expect([...triggers.keys()]).to.have.members(files.map((name) => basename(name, '.json')))
    for (const name of files)
      expect(textOf(name)).to.match(/^\{\s+"\$schema": "\.\.\/\.\.\/trigger\.schema\.json"/)
  })

  it('may not name a choice in their filter that no record can have', () => {
    const definitions = loadDefinitions([shipped])
    const [some] = [...loadTriggers([shipped], definitions).values()].filter(
      ({ object }) => object === 'contract',
    )
    expect(triggerFaults({ ...some!, filter: "Status in ('Active', 'Actve')" }, definitions)).to.deep.equal([
      { path: ['filter'], reason: "Status is never 'Actve' at 22; did you mean Active?" },
    ])
  })

  it('fulfil their schema, which is current', () => {
    const schema: unknown = JSON.parse(readFileSync(join(shipped, 'trigger.schema.json'), 'utf8'))
    expect(schema).to.deep.equal(JSON.parse(JSON.stringify(triggerJsonSchema())))
    const accepts = new Ajv({ strict: false }).compile(triggerJsonSchema())
    for (const name of files) {
      const trigger = JSON.parse(textOf(name)) as object
      expect(accepts(trigger), name).to.equal(true)
      expect(accepts({ ...trigger, area: 'unheard-of' }), name).to.equal(false)
    }
  })
})
