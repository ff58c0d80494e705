/**
 * Statements of many banks, where they are (`DAYBOOK_CORPORA` names the folder): every line is found, as many as a count of
 * their marks, and what adds up in the file adds up here. Each exception has its reason.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readBai2 } from '../../../src/imports/bank/bai2.ts'
import { readCamt } from '../../../src/imports/bank/camt.ts'
import { readMt940 } from '../../../src/imports/bank/mt940.ts'
import { readOfx } from '../../../src/imports/bank/ofx.ts'
import type { StatementReader } from '../../../src/imports/bank/statement.ts'
import { FileRefused } from '../../../src/imports/formats/reader.ts'
import { corpus } from '../corpus.ts'
import { readStatements } from './reading.ts'

interface Corpus {
  readonly folder: string
  readonly files: RegExp
  readonly reader: StatementReader
  /** What stands at each line. */
  readonly mark: RegExp
}

const CORPORA: readonly Corpus[] = [
  { folder: 'mt940', files: /\.(?:sta|txt)$/, reader: readMt940, mark: /^\s*:61:/gm },
  { folder: 'genkgo-camt', files: /\.xml$/, reader: readCamt, mark: /<(?:\w+:)?Ntry>/g },
  { folder: 'camt_parser', files: /\.xml$/, reader: readCamt, mark: /<(?:\w+:)?Ntry>/g },
  { folder: 'prowide-iso20022', files: /\.xml$/, reader: readCamt, mark: /<(?:\w+:)?Ntry>/g },
  { folder: 'ofxparse', files: /\.ofx$/, reader: readOfx, mark: /<STMTTRN>/gi },
  { folder: 'bai2', files: /\.txt$/, reader: readBai2, mark: /^\s*16,|\/\s*16,/gm },
]

const REFUSED: Readonly<Record<string, string>> = {
  // Reports of the day so far.
  'mBank/mt942.sta': 'other-format',
  'self-provided/mt942.sta': 'other-format',
  // Documents without a message.
  '052/valid_namespace.xml': 'other-format',
  '053/valid_namespace.xml': 'other-format',
  'general/invalid_namespace.xml': 'other-format',
  'errors/sample-parseError.txt': 'damaged',
}
/** Neither UTF-8 nor windows-1252: the file asks, and is read when it is answered. */
const ENCODED: Readonly<Record<string, string>> = { 'self-provided/raiffeisen-cmi.sta': 'ibm852' }
/** Entries that are not booked: left out, with a notice. */
const PENDING: Readonly<Record<string, number>> = {
  'camt052.v4.xml': 1,
  'camt052.v6.Amt-zero.xml': 1,
  'camt052.v6.xml': 1,
}
/** Whole statements as banks sent them: their sums are right. The others are pieces, or made up without adding up. */
const ADD_UP = [
  'betterplace/sepa_mt9401.sta',
  'betterplace/with_binary_character.sta',
  'citi/mt940.txt',
  'cmxl/mt940.sta',
  'mBank/mt940.sta',
  'sberbank/171011_01234945.sta',
  'camt053.v2.multi.statement.xml',
  '053/valid_example.xml',
  '053/valid_example_v4.xml',
  '052/valid_example.xml',
]
/** Made up, and counted wrongly: refused by their own totals. */
const MISCOUNTED = ['sample4-continuations-newline-delimited.txt', 'sample5-issue113.txt']

for (const { folder: name, files, reader, mark } of CORPORA)
  describe(`statements of ${name}`, () => {
    const folder = corpus(name)
    before(function () {
      if (!folder) this.skip()
    })
    const names = folder
      ? (readdirSync(folder, { recursive: true }) as string[]).filter((file) => files.test(file))
      : []
    if (names.length === 0) it('are all read', () => expect(names).not.to.deep.equal([]))

    for (const file of names.sort())
      it(`${file} has all its lines`, async () => {
        const bytes = readFileSync(join(folder!, file))
        const encoding = ENCODED[file]
        const options = { intraday: true, ...(encoding && { encoding }) }
        const read = await readStatements(reader, bytes, options).catch((error: unknown) => {
          if (error instanceof FileRefused) return error.code
          throw error
        })
        if (typeof read === 'string') return expect(read).to.equal(REFUSED[file])
        expect(REFUSED[file]).to.equal(undefined)
        const entries =
          reader === readCamt ? new Set(read.lines.map(({ place }) => place)).size : read.lines.length
        const marks = [...bytes.toString('latin1').matchAll(mark)].length
        expect(entries + read.unreadable.length + (PENDING[file] ?? 0)).to.equal(marks)
        expect(read.wrong.length > 0, read.wrong.join()).to.equal(MISCOUNTED.includes(file))
        if (ADD_UP.includes(file))
          expect(read.checked.map(({ check }) => check)).to.deep.equal(read.checked.map(() => 'Ok'))
      })
  })
