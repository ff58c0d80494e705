/** What clients are told of bodies that are checked by a schema: in the words of this service, never in those of a library. */
import { expect } from 'chai'
import fc from 'fast-check'
import { Invalid } from '../../src/domain/errors.ts'
import type { Json } from '../../src/domain/json.ts'
import { readBankChoices } from '../../src/imports/bank/bank-file.ts'
import { readChosen } from '../../src/imports/bank/matches/chosen.ts'
import { readMapping } from '../../src/imports/mapping/check-mapping.ts'
import { readSchedule } from '../../src/imports/schedules/schedule.ts'
import { sampleDefinitions as definitions } from '../support/sample-definitions.ts'

const [definition] = [...definitions.values()]

/** Each way in which such a body is read. */
const reads: Readonly<Record<string, (body: Json) => unknown>> = {
  'a mapping': (body) => readMapping(definition!, definitions, body),
  'a schedule': (body) => readSchedule(definitions, body, 0),
  'choices for a bank file': (body) => readBankChoices(body),
  'a match of a bank line': (body) => readChosen(body),
}

function faultsOf(read: (body: Json) => unknown, body: Json): Readonly<Record<string, string>> {
  try {
    read(body)
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    return Object.fromEntries(error.faults.map(({ Field, Message }) => [Field, Message]))
  }
  return {}
}

describe('the faults of', () => {
  it('a mapping name what was meant, and what would be right', () => {
    const body = {
      Mod: 'upsert',
      Fields: { Name: { Colum: 'x', Required: 'yes', Decimal: ';' } },
      Formats: [],
    }
    expect(faultsOf(reads['a mapping']!, body)).to.deep.equal({
      Mod: 'is unknown or assigned by the service; it takes Mode, File, Formats, KeyField, Fields, IgnoreColumns, UnknownColumns, MissingColumns, DuplicatesInFile, OnExisting, AllowPastDates, EmptyCell, Notify; did you mean Mode?',
      'Fields.Name.Colum':
        'is unknown or assigned by the service; it takes Column, Columns, Join, Constant, Do, Amount, Currency, Required, Format, Decimal, Values, Otherwise, LookupBy, OnMissing, WhenEmpty; did you mean Column?',
      'Fields.Name.Required': 'must be true or false',
      'Fields.Name.Decimal': 'must be one of ., ,',
      Formats: 'must be an object',
    })
  })

  it('entries of a list are named by their place in it', () =>
    expect(
      faultsOf(reads['a match of a bank line']!, {
        Payments: [{ Payment: 'a' }, { Payment: 'b', Amount: 'x' }],
      }),
    ).to.deep.equal({ 'Payments[1].Amount': 'must be a number' }))

  it('a schedule name what was meant, and what would be right', () => {
    const source = { Kind: 'ftp', Folder: 'bank' }
    const body = {
      Name: '',
      Object: 'tenant',
      RunAs: 7,
      StableSeconds: -1,
      MostFiles: 1.5,
      Source: source,
      Chron: '',
    }
    expect(faultsOf(reads['a schedule']!, body)).to.deep.equal({
      Name: 'must not be empty',
      RunAs: 'must be text',
      StableSeconds: 'must be at least 0',
      MostFiles: 'must be an integer',
      'Source.Kind': 'must be one of folder, sftp; did you mean sftp?',
      Chron:
        'is unknown or assigned by the service; it takes Name, Object, Profile, RunAs, Files, Ignore, DoneFile, StableSeconds, MinAgeSeconds, MostFiles, Cron, Every, TimeZone, OnMissedRuns, Commit, After, ExpectBy, IsActive, Source; did you mean Cron?',
    })
  })

  it('choices for a bank file, and a match, do too', () => {
    expect(faultsOf(reads['choices for a bank file']!, { Intraday: 'yes' })).to.deep.equal({
      Intraday: 'must be true or false',
    })
    expect(faultsOf(reads['a match of a bank line']!, { Payments: [] })).to.deep.equal({
      Payments: 'must have at least 1 entry',
    })
  })

  for (const [what, read] of Object.entries(reads))
    it(`${what} are in no words of the schema, whatever is sent`, () => {
      const names = fc.constantFrom(
        'Fields',
        'Name',
        'Source',
        'Kind',
        'Payments',
        'Accounts',
        'Formats',
        'Cron',
        'x',
      )
      const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
        tree: fc.oneof(
          { maxDepth: 4 },
          fc.constantFrom<Json>(null, true, 0, -1, 1.5, '', 'folder', 'sftp'),
          fc.array(tie('tree'), { maxLength: 2 }),
          fc.dictionary(names, tie('tree'), { maxKeys: 4 }),
        ),
      }))
      fc.assert(
        fc.property(tree, (body) => {
          for (const message of Object.values(faultsOf(read, body)))
            expect(message).to.not.match(/invalid|expected|received|too (small|big)|unrecognized|[<>]=/i)
        }),
      )
    })
})
