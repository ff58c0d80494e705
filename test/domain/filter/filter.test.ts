import { expect } from 'chai'
import type { Filter } from '../../../src/domain/filter/ast.ts'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import { sampleDefinition, sampleDefinitions } from '../../support/sample-definitions.ts'

const parse = (text: string, object = 'contract') =>
  parseFilter(text, sampleDefinition(object), sampleDefinitions)

/** A filter with each path as its text, so that it can be compared at a glance. */
type Plain = { readonly [name: string]: unknown }
const plain = (filter: Filter): Plain => {
  if ('terms' in filter) return { ...filter, terms: filter.terms.map(plain) }
  return filter.op === 'constant' ? filter : { ...filter, path: filter.path.text }
}
const parsed = (text: string, object?: string) => plain(parse(text, object))
const compare = (path: string, by: string, value: unknown, negated = false) => ({
  op: 'compare',
  path,
  by,
  value,
  negated,
})
const isNull = (path: string, negated = false) => ({ op: 'isNull', path, negated })
const status = (value: string, negated = false) => compare('Status', 'eq', value, negated)

/** The path of a filter that is one condition. */
const pathOf = (text: string, object?: string) => {
  const filter = parse(text, object)
  if (!('path' in filter)) throw new Error(`${text} is not one condition`)
  return filter.path
}

describe('a filter', () => {
  describe('compares', () => {
    it('text, with a quote written as two', () =>
      expect(parsed("Notes eq 'O''Brien''s'")).to.deep.equal(compare('Notes', 'eq', "O'Brien's")))

    it('text exactly as it was written', () =>
      expect(parsed("Notes ne ' Ünï  '")).to.deep.equal(compare('Notes', 'ne', ' Ünï  ')))

    it('text with its case changed', () => {
      expect(parsed("Notes eq tolower('New')")).to.deep.equal(compare('Notes', 'eq', 'new'))
      expect(parsed("Notes in (ToUpper('New'), 'x')")).to.deep.include({ values: ['NEW', 'x'] })
    })

    it('numbers, also negative, with decimals and with an exponent', () => {
      for (const [text, value] of [
        ['12', 12],
        ['-3', -3],
        ['0.10', 0.1],
        ['1e3', 1000],
        ['2.5E-2', 0.025],
        ['-0', 0],
        ['9007199254740991', 9007199254740991],
      ] as const)
        expect(parsed(`Duration ge ${text}`)).to.deep.equal(compare('Duration', 'ge', value))
    })

    it('the Amount of money when nothing else is said', () => {
      expect(parsed('MonthlyRent gt 1000')).to.deep.equal(compare('MonthlyRent', 'gt', 1000))
      expect(pathOf('MonthlyRent gt 1000')).to.include({ part: 'Amount', kind: 'number' })
      expect(pathOf('MonthlyRent/Amount gt 1000')).to.include({ part: 'Amount', kind: 'number' })
    })

    it('the Currency of money as text', () => {
      expect(parsed("MonthlyRent/Currency eq 'EUR'")).to.deep.equal(
        compare('MonthlyRent/Currency', 'eq', 'EUR'),
      )
      expect(pathOf("MonthlyRent/Currency eq 'EUR'")).to.include({ part: 'Currency', kind: 'exact' })
    })

    it('dates, bare or quoted', () => {
      expect(parsed('StartDate lt 2026-01-31')).to.deep.equal(compare('StartDate', 'lt', '2026-01-31'))
      expect(parsed("StartDate lt '2026-01-31'")).to.deep.equal(compare('StartDate', 'lt', '2026-01-31'))
    })

    it('timestamps in UTC to the second, whatever offset and fraction they were written with', () => {
      for (const text of [
        '2026-01-31T10:00:00Z',
        "'2026-01-31T10:00:00Z'",
        '2026-01-31T12:00:00+02:00',
        '2026-01-31T04:30:00-05:30',
        '2026-01-31T10:00:00.987Z',
      ])
        expect(parsed(`SignedAt le ${text}`), text).to.deep.equal(
          compare('SignedAt', 'le', '2026-01-31T10:00:00Z'),
        )
    })

    it('booleans, and takes a boolean field alone for "is true"', () => {
      expect(parsed('AutoRenews eq false')).to.deep.equal(compare('AutoRenews', 'eq', false))
      expect(parsed('AutoRenews')).to.deep.equal(compare('AutoRenews', 'eq', true))
      expect(parsed('not AutoRenews')).to.deep.equal(compare('AutoRenews', 'eq', true, true))
      expect(parsed('Unit/IsFurnished and not Tenant/IsActive')).to.deep.equal({
        op: 'and',
        terms: [compare('Unit/IsFurnished', 'eq', true), compare('Tenant/IsActive', 'eq', true, true)],
      })
    })

    it('any field with null', () => {
      for (const path of [
        'Notes',
        'Tenant',
        'Tenant/Name',
        'MonthlyRent',
        'EndDate',
        'AutoRenews',
        'Status',
      ]) {
        expect(parsed(`${path} eq null`)).to.deep.equal(isNull(path))
        expect(parsed(`${path} ne null`)).to.deep.equal(isNull(path, true))
      }
    })

    it('choices with values that no record can have', () => {
      expect(parsed("Status eq 'Vanished'")).to.deep.equal(status('Vanished'))
      expect(pathOf("Status eq 'Vanished'").kind).to.equal('exact')
    })

    it('lookups by Key', () => {
      for (const path of ['Tenant', 'Tenant/Id'])
        expect(parsed(`${path} eq 'tenant-1a'`)).to.deep.equal(compare(path, 'eq', 'tenant-1a'))
    })

    it('the own Key', () => {
      expect(parsed("Id gt 'contract-01'")).to.deep.equal(compare('Id', 'gt', 'contract-01'))
      expect(pathOf("Id gt 'contract-01'").kind).to.equal('exact')
    })

    it('with a list, each value once', () => {
      expect(parsed("Status in ('Draft', 'Active','Draft')")).to.deep.equal({
        op: 'in',
        path: 'Status',
        values: ['Draft', 'Active'],
        negated: false,
      })
      expect(parsed('Duration in (12)')).to.deep.equal({
        op: 'in',
        path: 'Duration',
        values: [12],
        negated: false,
      })
    })

    it('with a list that holds null as "one of these or no value"', () => {
      const one = { op: 'in', path: 'Status', values: ['Draft'] }
      expect(parsed("Status in ('Draft', null)")).to.deep.equal({
        op: 'or',
        terms: [{ ...one, negated: false }, isNull('Status')],
      })
      expect(parsed("not (Status in ('Draft', null))")).to.deep.equal({
        op: 'and',
        terms: [{ ...one, negated: true }, isNull('Status', true)],
      })
      expect(parsed('Status in (null)')).to.deep.equal(isNull('Status'))
    })
  })

  describe('matches text', () => {
    it('with contains, startswith and endswith, case folded', () => {
      for (const op of ['contains', 'startswith', 'endswith'])
        expect(parsed(`${op}(Tenant/Name, 'ÅNG')`)).to.deep.equal({
          op,
          path: 'Tenant/Name',
          text: 'ång',
          negated: false,
        })
    })

    it('of choices, currencies, e-mail addresses and URLs', () => {
      for (const path of ['Status', 'MonthlyRent/Currency', 'Tenant/Email', 'Tenant/Website'])
        expect(parsed(`contains(${path},'x')`)).to.include({ op: 'contains', path })
    })

    it('the same when tolower or toupper stands around the path or the text', () => {
      for (const text of ["contains(tolower(Notes),'X')", "contains(Notes, toupper('x'))"])
        expect(parsed(text)).to.deep.equal({ op: 'contains', path: 'Notes', text: 'x', negated: false })
    })

    it('without regard to case by tolower and toupper', () => {
      const equals = (text: string, negated = false) => ({ op: 'equalsFolded', path: 'Notes', text, negated })
      expect(parsed("tolower(Notes) eq 'new'")).to.deep.equal(equals('new'))
      expect(parsed("toupper(Notes) ne 'NEW'")).to.deep.equal(equals('new', true))
      expect(parsed("tolower(Notes) in ('A', 'b', 'a')")).to.deep.equal({
        op: 'or',
        terms: [equals('a'), equals('b')],
      })
      expect(parsed('tolower(Notes) eq null')).to.deep.equal(isNull('Notes'))
    })
  })

  describe('follows paths', () => {
    it('over several lookups', () => {
      const { hops, on, field, kind } = pathOf("Unit/Building/Name eq 'Tower'")
      expect(hops.map((hop) => `${hop.on.object}.${hop.lookup.name}`)).to.deep.equal([
        'contract.Unit',
        'unit.Building',
      ])
      expect([on.object, field.name, kind]).to.deep.equal(['building', 'Name', 'text'])
    })

    it('to the Key of a lookup without a hop more', () => {
      for (const path of ['Unit/Building', 'Unit/Building/Id']) {
        const { hops, on, field, kind } = pathOf(`${path} eq 'building-1'`)
        expect(hops.map(({ lookup }) => lookup.name)).to.deep.equal(['Unit'])
        expect([on.object, field.name, kind]).to.deep.equal(['unit', 'Building', 'exact'])
      }
    })

    it('to the money of another record', () => {
      expect(pathOf("Tenant/Deposit/Currency eq 'EUR'")).to.include({ part: 'Currency' })
      expect(pathOf('Tenant/Deposit lt 5')).to.include({ part: 'Amount' })
    })

    it('from the object that is listed', () =>
      expect(pathOf("Guarantor/Name eq 'x'", 'tenant').hops.map(({ on }) => on.object)).to.deep.equal([
        'tenant',
      ]))
  })

  describe('combines conditions', () => {
    const [a, b, c] = [status('a'), status('b'), status('c')]

    it('with and before or', () => {
      expect(parsed("Status eq 'a' or Status eq 'b' and Status eq 'c'")).to.deep.equal({
        op: 'or',
        terms: [a, { op: 'and', terms: [b, c] }],
      })
      expect(parsed("(Status eq 'a' or Status eq 'b') and Status eq 'c'")).to.deep.equal({
        op: 'and',
        terms: [{ op: 'or', terms: [a, b] }, c],
      })
    })

    it('flat, however they were grouped', () =>
      expect(parsed("Status eq 'a' and (Status eq 'b' and ((Status eq 'c')))")).to.deep.equal({
        op: 'and',
        terms: [a, b, c],
      }))

    it('with not pushed down to the leaves', () => {
      expect(parsed("not (Status eq 'a' or not (Status eq 'b'))")).to.deep.equal({
        op: 'and',
        terms: [status('a', true), b],
      })
      expect(parsed("not (contains(Notes, 'x') and Status eq 'b')")).to.deep.equal({
        op: 'or',
        terms: [{ op: 'contains', path: 'Notes', text: 'x', negated: true }, status('b', true)],
      })
    })

    it('without constants that decide nothing, or with nothing but the one that decides all', () => {
      expect(parsed("not (Status eq 'a' and true) or false")).to.deep.equal(status('a', true))
      expect(parsed("Status eq 'a' and (false or Status eq 'b' and not true)")).to.deep.equal({
        op: 'constant',
        value: false,
      })
      expect(parsed("Status eq 'a' or not (false and Status eq 'b')")).to.deep.equal({
        op: 'constant',
        value: true,
      })
    })

    it('with not before a comparison, as OData has it', () => {
      expect(parsed('not AutoRenews eq false')).to.deep.equal(compare('AutoRenews', 'eq', true))
      expect(parsed("contains(Notes, 'x') eq false")).to.deep.equal(parsed("not contains(Notes, 'x')"))
      expect(parsed("(Status eq 'a') ne true")).to.deep.equal(status('a', true))
    })

    it('with keywords in any case and blanks anywhere', () =>
      expect(
        parsed(" NOT(\tStatus EQ 'a')And StartsWith ( Notes ,'x' )\nor TRUE or Status In('a')"),
      ).to.deep.equal(parsed("not (Status eq 'a') and startswith(Notes, 'x') or true or Status in ('a')")))
  })

  it('takes a field named like a keyword for the field', () => {
    const definition = {
      ...sampleDefinition('building'),
      fields: [
        { name: 'Not', type: 'boolean' as const },
        { name: 'Contains', type: 'text' as const },
      ],
    }
    const filter = parseFilter("not Not and Contains eq 'x'", definition, sampleDefinitions)
    expect(plain(filter)).to.deep.equal({
      op: 'and',
      terms: [compare('Not', 'eq', true, true), compare('Contains', 'eq', 'x')],
    })
  })
})
