/** What is shipped and does not fit an object that an operator has put in the place of a shipped one. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { withInternal } from '../../src/compose/parts/definitions.ts'
import { definitionFolders } from '../../src/compose/read-start.ts'
import { DefinitionError } from '../../src/definitions/definition-error.ts'
import { loadAll } from '../../src/definitions/load-all.ts'
import { newFolder } from '../support/service.ts'

const shipped = join(import.meta.dirname, '../../definitions')
const employee = {
  object: 'employee',
  name: 'Employee',
  application: 'HumanResources',
  display: 'Name',
  fields: [{ name: 'Name', type: 'text', required: true }],
}

describe('an object in the place of a shipped one', () => {
  let folder: string
  beforeEach(() => {
    folder = newFolder()
    mkdirSync(join(folder, 'integrations'), { recursive: true })
    mkdirSync(join(folder, 'HumanResources'))
    writeFileSync(join(folder, 'HumanResources/employee.json'), JSON.stringify(employee))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const load = () => loadAll(definitionFolders({ DEFINITIONS_DIR: folder }), withInternal)

  it('leaves out what does not fit it, and says why', () => {
    const { integrations, leftOut } = load()
    expect(leftOut.map(({ what, name }) => `${what} ${name}`)).to.deep.equal([
      'integration bamboohr',
      'integration scim',
    ])
    expect(leftOut[0]!.faults.map(({ reason }) => reason)).to.include('employee has no field FirstName')
    expect([...integrations.keys()])
      .to.include('stripe')
      .and.not.include('bamboohr')
  })

  it('may have an integration of its own in the place of the one that does not fit', () => {
    const own = join(folder, 'integrations', 'bamboohr.json')
    cpSync(join(shipped, 'integrations', 'stripe.json'), own)
    writeFileSync(
      own,
      readFileSync(own, 'utf8').replace('"integration": "stripe"', '"integration": "bamboohr"'),
    )
    const { integrations, leftOut } = load()
    expect(leftOut.map(({ name }) => name)).to.deep.equal(['scim'])
    expect(integrations.get('bamboohr')?.title).to.equal(integrations.get('stripe')?.title)
  })

  it('does not excuse an integration of one’s own', () => {
    cpSync(join(shipped, 'integrations', 'bamboohr.json'), join(folder, 'integrations', 'bamboohr.json'))
    expect(load).to.throw(DefinitionError, 'employee has no field FirstName')
  })
})
