import { expect } from 'chai'
import { asSeen, isShown, type RowsShowing } from '../../../src/domain/filter/as-seen.ts'
import { matches, type Resolve } from '../../../src/domain/filter/evaluate.ts'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { sampleDefinition, sampleDefinitions } from '../../support/sample-definitions.ts'

const at = '2026-03-01T09:30:00Z'
const records: Readonly<Record<string, Fields>> = {
  small: { Id: 'small', Number: '1', Area: 10, Building: { Id: 'high', Name: 'A' }, CreatedAt: at },
  large: { Id: 'large', Number: '2', Area: 50, Building: { Id: 'high', Name: 'A' }, CreatedAt: at },
  high: { Id: 'high', Name: 'A', Floors: 9, CreatedAt: at },
}
const resolve: Resolve = (_object, key) => records[key]
const contractOf = (unit: string): Fields => ({ Id: 'c', Unit: { Id: unit, Number: '?' } })
const filter = (text: string, object = 'contract') =>
  parseFilter(text, sampleDefinition(object), sampleDefinitions)

/** Which contracts match a filter for a principal who sees only these rows of an object. */
function seen(text: string, rowsShowing: RowsShowing): string[] {
  const narrowed = asSeen(filter(text), rowsShowing)
  return ['small', 'large'].filter((unit) => matches(narrowed, contractOf(unit), resolve))
}

describe('a filter over two lookups', () => {
  const largeUnits: RowsShowing = (object) => (object === 'unit' ? filter('Area gt 20', 'unit') : undefined)
  const lowBuildings: RowsShowing = (object) =>
    object === 'building' ? filter('Floors lt 5', 'building') : undefined

  it('does not see past a record in the middle that is hidden', () => {
    expect(seen('Unit/Building/Floors gt 5', () => undefined)).to.deep.equal(['small', 'large'])
    expect(seen('Unit/Building/Floors gt 5', largeUnits)).to.deep.equal(['large'])
    expect(seen('Unit/Building/Floors gt 5', lowBuildings)).to.deep.equal([])
  })

  it('takes a hidden value for a missing one', () => {
    expect(seen('Unit/Building/Floors eq null', largeUnits)).to.deep.equal(['small'])
    expect(seen('Unit/Building/Floors ne 9', largeUnits)).to.deep.equal(['small'])
    expect(seen('not (Unit/Building/Floors gt 5)', largeUnits)).to.deep.equal(['small'])
  })

  it('asks each record on the way for its own field', () => {
    const onlyArea: RowsShowing = (object, field) =>
      object === 'unit' && field === 'Building' ? { op: 'constant', value: false } : undefined
    expect(seen('Unit/Area gt 0', onlyArea)).to.deep.equal(['small', 'large'])
    expect(seen('Unit/Building/Floors gt 0', onlyArea)).to.deep.equal([])
    const path = (text: string) => (filter(text) as { path: Parameters<typeof isShown>[0] }).path
    expect(isShown(path('Unit/Area gt 0'), onlyArea)).to.equal(true)
    expect(isShown(path('Unit/Building/Floors gt 0'), onlyArea)).to.equal(false)
  })
})
