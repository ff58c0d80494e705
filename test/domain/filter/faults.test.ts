import { expect } from 'chai'
import { Invalid } from '../../../src/domain/errors.ts'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import { sampleDefinition, sampleDefinitions } from '../../support/sample-definitions.ts'

/** The one message with which a filter of contracts is refused. */
function refusal(text: string): string {
  try {
    parseFilter(text, sampleDefinition('contract'), sampleDefinitions)
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    expect(error.faults).to.have.length(1)
    expect(error.faults[0]?.Field).to.equal('filter')
    return error.faults[0]!.Message
  }
  throw new Error(`not refused: ${text}`)
}

const refused = (cases: { readonly [text: string]: string }) => {
  for (const [text, message] of Object.entries(cases)) expect(refusal(text), text).to.equal(message)
}

describe('a filter that cannot be understood', () => {
  it('says where an unknown field stands and which was meant', () =>
    refused({
      'not MonthlyRnt': 'unknown field MonthlyRnt at 5; did you mean MonthlyRent?',
      'Rnt gt 5': 'unknown field Rnt at 1; did you mean MonthlyRent?',
      'Rent gt 5': 'unknown field Rent at 1; did you mean MonthlyRent?',
      "status eq 'Draft'": 'unknown field status at 1; did you mean Status?',
      "Tenant/Nme eq 'x'": 'unknown field Nme of tenant at 8; did you mean Name?',
      "Zzz eq 'x'": 'unknown field Zzz at 1',
      "__proto__ eq 'x'": 'unknown field __proto__ at 1',
      "contains(constructor/name, 'x')": 'unknown field constructor at 10',
      "Tenant//Name eq 'x'": 'expected a field name at 8',
    }))

  it('says what can follow a field in a path', () =>
    refused({
      "Status/Name eq 'x'": 'nothing can follow the choice field Status at 8',
      'MonthlyRent/Sum eq 5': 'expected Amount or Currency after MonthlyRent/ at 13',
      'MonthlyRent/Amount/Amount eq 5': 'expected Amount or Currency after MonthlyRent/ at 13',
      'Tenant/Guarantor/Guarantor/Guarantor/Guarantor/Guarantor/Score eq 1':
        'more than 5 lookups in one path at 58',
    }))

  it('says which value a field takes', () =>
    refused({
      "Duration gt '5'": "expected a number for Duration, found '5' at 13; write 5 without quotes",
      'Notes eq 5': "expected a text in single quotes for Notes, found 5 at 10; write '5'",
      'Status eq Draft': "expected a text in single quotes for Status, found Draft at 11; write 'Draft'",
      'Status eq Notes':
        'expected a text in single quotes for Status, found Notes at 11; one field cannot be compared with another',
      'AutoRenews eq 1': 'expected true or false for AutoRenews, found 1 at 15',
      "AutoRenews eq 'true'":
        "expected true or false for AutoRenews, found 'true' at 15; write true without quotes",
      "StartDate eq '2026-02-30'":
        "expected a date such as 2026-01-31 for StartDate, found '2026-02-30' at 14",
      'StartDate eq 2026-01-31T10:00:00Z':
        'expected a date such as 2026-01-31 for StartDate, found 2026-01-31T10:00:00Z at 14; write 2026-01-31',
      'SignedAt gt 2026-01-31':
        'expected a timestamp such as 2026-01-31T10:00:00Z for SignedAt, found 2026-01-31 at 13; write 2026-01-31T00:00:00Z',
      'SignedAt gt 2026-01-31T10:00:00 02:00':
        'expected a timestamp such as 2026-01-31T10:00:00Z for SignedAt, found 2026-01-31T10:00:00 at 13; it needs Z or an offset (in a URL, + is %2B)',
      "Tenant eq 'Acme'":
        "expected a Key such as 'tenant-…' for Tenant, found 'Acme' at 11; for its Name write Tenant/Name",
      "Unit/Building/Id eq 'unit-1'":
        "expected a Key such as 'building-…' for Unit/Building/Id, found 'unit-1' at 21; for its Name write Unit/Building/Name",
      'Tenant eq 42': "expected a Key such as 'tenant-…' for Tenant, found 42 at 11",
      "Id eq '42'": "expected a Key such as 'contract-…' for Id, found '42' at 7",
      'Duration gt null':
        'expected a number for Duration, found null at 13; null is compared by eq, ne and in',
      'Duration eq 9007199254740993': '9007199254740993 has more digits than a number keeps at 13',
      'Duration eq 1e999': '1e999 has more digits than a number keeps at 13',
      'Duration in (1, true)': 'expected a number for Duration, found true at 17',
    }))

  it('says which operators and functions a field takes', () =>
    refused({
      "Tenant gt 'tenant-1'": 'Tenant takes eq, ne, in, not gt at 8',
      'AutoRenews ge true': 'AutoRenews takes eq, ne, in, not ge at 12',
      "tolower(Notes) lt 'x'": 'tolower and toupper take eq, ne, in, not lt at 16',
      "contains(Tenant, 'x')":
        'contains takes a text field, not Tenant at 10; for its Name write Tenant/Name',
      "endswith(MonthlyRent, 'x')": 'endswith takes a text field, not MonthlyRent at 10',
      "startswith(Id, 'contract')": 'startswith takes a text field, not Id at 12',
      "tolower(StartDate) eq 'x'": 'tolower takes a text field, not StartDate at 9',
      'Terms eq null': 'json field Terms at 1; json fields cannot be filtered',
      "contains(Terms, 'x')": 'json field Terms at 10; json fields cannot be filtered',
      "contains(Notes, 'x') gt true": 'a condition takes eq and ne, not gt at 22',
      "contains(Notes, 'x') eq 'true'": "expected true or false for a condition, found 'true' at 25",
    }))

  it('says what it expected in place of what it found', () =>
    refused({
      '': 'expected a condition, found the end at 1',
      '  ': 'expected a condition, found the end at 3',
      Status: 'expected an operator (eq, ne, gt, ge, lt, le, in) after Status, found the end at 7',
      'Status eq': 'expected a text in single quotes for Status, found the end at 10',
      "Status neq 'x'":
        'expected an operator (eq, ne, gt, ge, lt, le, in) after Status, found neq at 8; write ne',
      "Status == 'x'":
        'expected an operator (eq, ne, gt, ge, lt, le, in) after Status, found == at 8; write eq',
      'Status eq "x"':
        'expected a text in single quotes for Status, found " at 11; text is written in single quotes',
      "Status eq 'x' && AutoRenews": 'expected and, or, or the end, found && at 15; write and',
      "Status eq 'x' Duration gt 5": 'expected and, or, or the end, found Duration at 15',
      "(Status eq 'x'": 'expected and, or, or ), found the end at 15',
      "Status eq 'x')": 'expected and, or, or the end, found ) at 14',
      '()': 'expected a condition, found ) at 2',
      'AutoRenews and': 'expected a condition, found the end at 15',
      '12 lt Duration':
        'expected a condition, found 12 at 1; the field comes first, then what it is compared with',
      "substringof('x', Notes)":
        'unknown function substringof at 1; known are contains, startswith, endswith, tolower, toupper, length, month, day, year',
      "contain(Notes, 'x')": 'unknown function contain at 1; did you mean contains?',
      "contains('x', Notes)": "expected a field, found 'x' at 10; the field comes first: Notes, 'x'",
      "contains(Notes 'x')": "expected , after Notes, found 'x' at 16",
      "contains(Notes, 'x'": 'expected ) after the text, found the end at 20',
      'Duration in 5': 'expected ( after in, found 5 at 13',
      'Duration in ()': 'expected a number for Duration, found ) at 14',
      'Duration in (5 6)': 'expected , or ) after a value, found 6 at 16',
      "Status eq 'x": "a text without a closing quote begins at 11; a quote within it is written ''",
      "Status eq 'x''": "a text without a closing quote begins at 11; a quote within it is written ''",
      'Status eq §': 'expected a text in single quotes for Status, found § at 11',
    }))

  it('explains that not binds tighter than a comparison', () =>
    refused({
      'not Duration gt 5':
        'not takes a condition, found Duration at 5; put the comparison in parentheses: not (Duration …)',
    }))

  it('repeats no more than the beginning of what was sent', () =>
    expect(refusal(`${'x'.repeat(3000)} eq 5`)).to.equal(`unknown field ${'x'.repeat(40)}… at 1`))
})

describe('the limits of a filter', () => {
  const nested = (depth: number) => `${'('.repeat(depth)}AutoRenews${')'.repeat(depth)}`

  it('are 16 levels of parentheses and not', () => {
    const parse = (text: string) => parseFilter(text, sampleDefinition('contract'), sampleDefinitions)
    expect(parse(nested(16))).to.include({ op: 'compare' })
    expect(parse(`${'not '.repeat(16)}AutoRenews`)).to.include({ op: 'compare', negated: false })
    refused({
      [nested(17)]: 'nested deeper than 16 levels at 17',
      [`${'not '.repeat(17)}AutoRenews`]: 'nested deeper than 16 levels at 65',
      [`${'not('.repeat(9)}AutoRenews${')'.repeat(9)}`]: 'nested deeper than 16 levels at 33',
    })
  })

  it('are 50 conditions, each text of a list without case being one', () => {
    const conditions = (count: number) => Array(count).fill('AutoRenews').join(' or ')
    const texts = (count: number) => Array.from({ length: count }, (_, i) => `'${i}'`).join(',')
    expect(parseFilter(conditions(50), sampleDefinition('contract'), sampleDefinitions))
      .to.have.property('terms')
      .with.length(50)
    expect(refusal(conditions(51))).to.equal(`more than 50 conditions at ${50 * 14 + 1}`)
    expect(parseFilter(`tolower(Notes) in (${texts(50)})`, sampleDefinition('contract'), sampleDefinitions))
      .to.have.property('terms')
      .with.length(50)
    expect(refusal(`tolower(Notes) in (${texts(51)})`)).to.equal('more than 50 conditions at 20')
    expect(refusal(`AutoRenews or tolower(Notes) in (${texts(50)})`)).to.match(/^more than 50 conditions/)
  })

  it('let a list of many values pass as one condition', () => {
    const values = Array.from({ length: 500 }, (_, i) => i)
    const filter = parseFilter(
      `Duration in (${values.join(',')})`,
      sampleDefinition('contract'),
      sampleDefinitions,
    )
    expect(filter).to.deep.include({ op: 'in', values })
  })

  it('are 4 KiB of UTF-8', () => {
    const text = (bytes: number) => `Notes eq '${'x'.repeat(bytes - 11)}'`
    expect(parseFilter(text(4096), sampleDefinition('contract'), sampleDefinitions)).to.include({ by: 'eq' })
    refused({
      [text(4097)]: 'is longer than 4096 bytes',
      [`Notes eq '${'€'.repeat(1400)}'`]: 'is longer than 4096 bytes',
    })
  })

  it('are characters that a record can hold', () =>
    refused({
      "Notes eq 'a\0b'": 'a character that no record can hold at 12',
      "Notes eq '\ud800'": 'a character that no record can hold at 11',
    }))
})
