import { join } from 'node:path'
import { expect } from 'chai'
import type { Caller } from '../../src/commands/command.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'
import { fieldOf } from '../../src/domain/definition.ts'
import type { Wanted } from '../../src/imports/mapping/row-body.ts'
import { importLookups } from '../../src/imports/run/lookups.ts'
import type { ReadModels } from '../../src/ports/read-models.ts'

/** Read models that show what is stored only once they have been waited for. */
function lagging(object: string) {
  const definitions = loadDefinitions([join(import.meta.dirname, '../../definitions')])
  const stored = new Map<string, string>()
  let shown = new Map<string, string>()
  let waits = 0
  const list = async () => ({
    records: [...shown].map(([Name, key]) => ({ key, json: JSON.stringify({ Name }) })),
  })
  const lookups = importLookups({
    definitions,
    readModels: { list } as unknown as ReadModels,
    object,
    caughtUp: async () => {
      waits++
      shown = new Map(stored)
    },
  })
  const wanted = (of: string, name: string, text: string): Wanted =>
    ({ field: fieldOf(definitions.get(of)!, name)!, by: 'Name', text }) as Wanted
  return { lookups, stored, wanted, waits: () => waits }
}

const caller = { company: 'co-1' } as unknown as Caller

describe('lookups while read models lag', () => {
  it('find what earlier chunks of the same import have made, each time', async () => {
    const { lookups, stored, wanted, waits } = lagging('employee')
    for (const [i, name] of ['Ann', 'Bob', 'Cem'].entries()) {
      stored.set(name, `employee-${i}`)
      const one = wanted('employee', 'Manager', name)
      await lookups.find(caller, [one])
      expect(lookups.resolve(one)).to.equal(`employee-${i}`)
    }
    expect(waits()).to.equal(3)
    await lookups.find(caller, [wanted('employee', 'Manager', 'Ann')])
    expect(waits(), 'what is known is not waited for').to.equal(3)
  })

  it('find what an import before has made, and wait no more than once for others', async () => {
    const { lookups, stored, wanted, waits } = lagging('contract')
    stored.set('Ann', 'tenant-1')
    const one = wanted('contract', 'Tenant', 'Ann')
    await lookups.find(caller, [one])
    expect(lookups.resolve(one)).to.equal('tenant-1')
    const missing = wanted('contract', 'Tenant', 'Nemo')
    for (let chunk = 0; chunk < 3; chunk++) await lookups.find(caller, [missing])
    expect(lookups.resolve(missing)).to.deep.include({ Field: 'Tenant' })
    expect(waits()).to.equal(1)
  })
})
