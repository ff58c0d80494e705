/** What the MongoDB adapter works out by itself, without a server. */
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Document } from 'mongodb'
import {
  compileFilter,
  compileWords,
  escaped,
} from '../../../src/adapters/mongodb/read-models/queries/compile-filter.ts'
import { connect } from '../../../src/adapters/mongodb/connection.ts'
import { generationOf } from '../../../src/adapters/mongodb/read-models/generation-of.ts'
import { watchPosition } from '../../../src/adapters/mongodb/read-models/position-watch.ts'
import { documentId } from '../../../src/adapters/mongodb/read-models/record-document.ts'
import { rememberedTotals } from '../../../src/adapters/mongodb/read-models/queries/totals.ts'
import type { Filter } from '../../../src/domain/filter/ast.ts'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import { filtersOn, tellMuch } from '../../contracts/read-side/random.ts'
import { tale, timeline } from '../../contracts/read-side/tale.ts'
import { sampleDefinition, sampleDefinitions as definitions } from '../../support/sample-definitions.ts'

describe('a filter compiled for MongoDB', () => {
  const OPERATORS = new Set('$and $or $eq $ne $gt $gte $lt $lte $in $nin $not $regex'.split(' '))
  const LOCATION = /^(values|folded)(\.[A-Z][A-Za-z0-9]*)+$|^_id$/
  const noKeys = () => Promise.resolve([])

  /** Names of members, however deep, that are neither our operators nor places of a record. */
  const strangeNames = (query: unknown): string[] => {
    if (Array.isArray(query)) return query.flatMap(strangeNames)
    if (typeof query !== 'object' || query === null) return []
    return Object.entries(query).flatMap(([name, value]) => [
      ...(OPERATORS.has(name) || LOCATION.test(name) ? [] : [name]),
      ...strangeNames(value),
    ])
  }

  it('has no operators and places but ours, whatever the filter says', async () => {
    const story = tale({ definitions, time: timeline() })
    tellMuch(story, 8, 30)
    await fc.assert(
      fc.asyncProperty(filtersOn(story), async (filter) => {
        expect(strangeNames(await compileFilter(filter, noKeys))).to.deep.equal([])
      }),
    )
  })

  it('compares values behind an operator, never as a bare value', async () => {
    const text = `Status eq '$gt' and Notes ne '{"$ne":null}' and Duration in (1, 2)`
    const { $and } = await compileFilter(parseFilter(text, sampleDefinition('contract'), definitions), noKeys)
    for (const condition of $and as Document[])
      for (const operand of Object.values(condition))
        expect(Object.keys(operand as object)[0]).to.match(/^\$/)
  })

  it('refuses a value that is an object, should one ever come so far', async () => {
    const { path } = parseFilter(`Status eq 'x'`, sampleDefinition('contract'), definitions) as Extract<
      Filter,
      { op: 'compare' }
    >
    const smuggled = { $ne: null } as unknown as string
    const filters: Filter[] = [
      { op: 'compare', path, by: 'eq', value: smuggled, negated: false },
      { op: 'in', path, values: [smuggled], negated: false },
      { op: 'contains', path, text: smuggled, negated: false },
      { op: 'equalsFolded', path, text: smuggled, negated: true },
    ]
    for (const filter of filters) {
      const failure = await compileFilter(filter, noKeys).catch((error: unknown) => error)
      expect(failure, filter.op).to.be.instanceOf(TypeError)
    }
  })

  it('asks for lookups that lead further, and for what does not fulfil where no value does', async () => {
    const asked: [string, Document][] = []
    const select = (object: string, where: Document) => {
      asked.push([object, where])
      return Promise.resolve(['tenant-1'])
    }
    const compile = (text: string) =>
      compileFilter(parseFilter(text, sampleDefinition('contract'), definitions), select)
    expect(await compile('Tenant/Score gt 3')).to.deep.equal({ 'values.Tenant.Id': { $in: ['tenant-1'] } })
    expect(await compile('not (Tenant/Score gt 3)')).to.deep.equal({
      'values.Tenant.Id': { $nin: ['tenant-1'] },
    })
    expect(asked).to.deep.equal(Array(2).fill(['tenant', { 'values.Score': { $gt: 3 } }]))
  })

  it('matches text as it is written, whatever characters it has', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, other) => {
        const pattern = new RegExp(`^${escaped(text)}$`)
        expect(pattern.test(text)).to.equal(true)
        expect(pattern.test(other)).to.equal(other === text)
      }),
    )
    expect(escaped('a.*b$^(c)[d]{e}|f?g+h\\')).to.equal('a\\.\\*b\\$\\^\\(c\\)\\[d\\]\\{e\\}\\|f\\?g\\+h\\\\')
  })

  it('finds words by how they begin', () => {
    expect(compileWords(['con', '2026'])).to.deep.equal([
      { words: { $regex: '^con' } },
      { words: { $regex: '^2026' } },
    ])
  })
})

describe('names that become part of a MongoDB query', () => {
  const open = (object: string, field: string) => {
    const definition = {
      ...sampleDefinition('unit'),
      object,
      fields: [{ name: field, type: 'text' as const }],
    }
    return connect({
      url: 'mongodb://127.0.0.1:1',
      definitions: new Map([[object, definition]]),
      silenceMs: 1,
    })
  }

  it('are plain, or nothing starts', async () => {
    for (const field of ['$where', 'a.b', 'name', 'A.B', '', '__proto__', 'Na me', 'Näme'])
      expect(() => open('unit', field), field).to.throw('not plain')
    for (const object of ['$cmd', 'system.users', 'Unit', '', 'a_b'])
      expect(() => open(object, 'Name'), object).to.throw('not plain')
    await open('unit', 'Name').close()
  })

  it('are of defined objects only', async () => {
    const connection = open('unit', 'Name')
    expect(() => connection.records('system.users')).to.throw('no definition')
    await connection.close()
  })

  it('keep companies apart', () => {
    expect(documentId('company-1', 'tenant-1')).to.equal('company-1/tenant-1')
    expect(() => documentId('company-1/tenant', '1')).to.throw()
    expect(() => documentId('', 'tenant-1')).to.throw()
  })

  it('change when the layout of definitions does, in whatever order those come, and not with their words', () => {
    const generation = generationOf(definitions)
    expect(generationOf(new Map([...definitions].reverse()))).to.equal(generation)
    const described = { ...sampleDefinition('unit'), name: 'Flat', description: 'new', events: [] }
    expect(generationOf(new Map([...definitions, ['unit', described]]))).to.equal(generation)
    const unit = { ...sampleDefinition('unit'), display: 'Area' }
    expect(generationOf(new Map([...definitions, ['unit', unit]]))).to.not.equal(generation)
  })
})

describe('totals', () => {
  const counter = () => {
    let counted = 0
    return { count: () => Promise.resolve(++counted), counted: () => counted }
  }

  it('are counted once for a query and a state of the records', async () => {
    const totals = rememberedTotals()
    const { count } = counter()
    expect(await Promise.all([totals.of('a', 1, count), totals.of('a', 1, count)])).to.deep.equal([1, 1])
    expect(await totals.of('b', 1, count)).to.equal(2)
    expect(await totals.of('a', 2, count)).to.equal(3)
    expect(await totals.of('b', 2, count)).to.equal(4)
  })

  it('are never those of a later state, nor remembered for an earlier one', async () => {
    const totals = rememberedTotals()
    const { count } = counter()
    await totals.of('a', 5, count)
    expect(await totals.of('a', 4, count)).to.equal(2)
    expect(await totals.of('a', 5, count)).to.equal(1)
  })

  it('are counted again when counting failed', async () => {
    const totals = rememberedTotals()
    const failure = new Error('no')
    expect(await totals.of('a', 1, () => Promise.reject(failure)).catch((error: unknown) => error)).to.equal(
      failure,
    )
    expect(await totals.of('a', 1, () => Promise.resolve(7))).to.equal(7)
  })
})

describe('waiting for a position', () => {
  it('ends with false when nobody can be asked, and when it is closed', async () => {
    const watch = watchPosition({ look: () => Promise.reject(new Error('gone')) })
    expect(await watch.wait(1, 20)).to.equal(false)
    const waiting = watch.wait(1, 600_000)
    watch.close()
    expect(await waiting).to.equal(false)
  })

  it('asks nobody for what is known', async () => {
    let looks = 0
    const watch = watchPosition({ look: () => Promise.resolve(10 * ++looks) })
    expect(await watch.wait(7, 10_000)).to.equal(true)
    expect(await watch.wait(10, 10_000)).to.equal(true)
    expect(looks).to.equal(1)
  })

  it('asks once for all who wait', async () => {
    let position = 0
    const watch = watchPosition({ look: () => Promise.resolve(++position) })
    expect(await Promise.all([3, 1, 2, 3].map((wanted) => watch.wait(wanted, 10_000)))).to.deep.equal(
      Array(4).fill(true),
    )
    expect(position).to.equal(3)
  })
})
