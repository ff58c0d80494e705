/**
 * Reads a bank file in the thread of imports: once to see which statements of which accounts are in it, and again to name and write
 * their lines. A statement that cannot be read in whole, or does not add up, refuses the file.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { isEqual } from '../../decimal.ts'
import {
  FileRefused,
  type Notice,
  type ReadLimits,
  type Source,
  type SourceRow,
} from '../../formats/reader.ts'
import type { FileFormat } from '../../formats/sniff.ts'
import type { StagedFile } from '../../staging/staged-file.ts'
import { stagedWriter } from '../../staging/staged-rows.ts'
import { readByProfile } from '../profiles/read-profile.ts'
import { readBai2 } from '../bai2.ts'
import { readCamt } from '../camt.ts'
import { lineIdentities, type LineIdentities } from '../line-identity.ts'
import { readMt940 } from '../mt940.ts'
import { readOfx } from '../ofx.ts'
import { statementFold } from '../statement-check.ts'
import type {
  Balance,
  BankItem,
  Statement,
  StatementEnd,
  StatementOptions,
  StatementReader,
} from '../statement.ts'
import type { BankJob, BankSurvey, SurveyedStatement } from './bank-job.ts'
import { LINE_COLUMNS, lineCells } from './line-row.ts'

const READERS: Partial<Readonly<Record<FileFormat, StatementReader>>> = {
  camt: readCamt,
  mt940: readMt940,
  ofx: readOfx,
  bai2: readBai2,
}
const MOST_NOTICES = 100
const MOST_STATEMENTS = 20_000

export interface StageBankFile {
  readonly path: string
  readonly target: string
  readonly format: FileFormat
  readonly job: BankJob
  readonly limits: ReadLimits
}

/** @throws FileRefused with what is wrong with the file */
export async function stageBankFile({
  path,
  target,
  format,
  job,
  limits,
}: StageBankFile): Promise<StagedFile> {
  const source: Source = { bytes: createReadStream(path), path, folder: dirname(path) }
  const survey = bankSurvey()
  const writer = stagedWriter()
  const rows = lineRows(job)
  const out = createWriteStream(target, { flags: 'wx', mode: 0o600, highWaterMark: 1 << 20 })
  for await (const item of itemsOf(source, format, job, limits)) {
    if (item.is === 'statement') rows.begin(item.statement)
    if (item.is === 'end') rows.end(item.end)
    const row = job.accounts && item.is === 'line' ? rows.of(item) : undefined
    survey.take(item)
    if (row && !out.write(writer.row(row))) await once(out, 'drain')
  }
  const { text, indexAt, rows: count } = writer.end([])
  out.end(text)
  await once(out, 'close')
  const { statements, notices } = survey.end()
  const { format: kind = 'profile', profile } = statements[0] ?? {}
  const found: BankSurvey = { format: kind, ...(profile !== undefined && { profile }), statements }
  return { format, rows: count, indexAt, columns: LINE_COLUMNS, facts: undefined, notices, survey: found }
}

async function* itemsOf(
  source: Source,
  format: FileFormat,
  job: BankJob,
  limits: ReadLimits,
): AsyncGenerator<BankItem> {
  if (format === 'csv' || format === 'xlsx') {
    const { profile, profiles = [], encoding } = job
    yield* readByProfile({ source, format, profile, own: profiles, encoding, limits })
    return
  }
  const reader = READERS[format]
  if (!reader)
    throw new FileRefused(
      'other-format',
      'It is not a bank statement: send camt.053, camt.054, MT940, OFX, BAI2, or CSV of a bank that is known.',
    )
  // Whether batches are split is fixed for an account; files of several accounts follow the first.
  const [account] = Object.values(job.accounts ?? {})
  const options: StatementOptions = {
    ...(job.intraday && { intraday: true }),
    ...(account && { splitBatches: account.splitsBatches }),
    ...(job.encoding !== undefined && { encoding: job.encoding }),
  }
  yield* reader(source.bytes, options, limits)
}

function bankSurvey() {
  const fold = statementFold()
  const statements: SurveyedStatement[] = []
  const notices: Notice[] = []
  let days: string[] = []
  return {
    take(item: BankItem): void {
      if (item.is === 'unreadable')
        throw new FileRefused('damaged', `A line of the statement cannot be read: ${item.message}`)
      if (item.is === 'wrong') throw new FileRefused('damaged', item.message)
      if (item.is === 'notice' && notices.length < MOST_NOTICES)
        notices.push({ code: 'statement', message: item.message, row: item.place })
      if (item.is === 'line') days = spanWith(days, item.line.bookingDate)
      const ended = fold.take(item)
      if (!ended) return
      if (ended.check === 'WrongSum') throw new FileRefused('damaged', ended.message!)
      if (statements.length === MOST_STATEMENTS)
        throw new FileRefused('too-many-rows', `The file has more than ${MOST_STATEMENTS} statements.`)
      const { statement, end, lines, credits, debits, check } = ended
      const [first, last] = days
      days = []
      const from = statement.from ?? first
      const to = statement.to ?? end.closing?.date ?? last
      statements.push({
        ...statement,
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(end.closing && { closing: end.closing }),
        lines,
        credits,
        debits,
        check,
        isNotification: statement.isNotification ?? false,
      })
    },
    end: () => ({ statements, notices }),
  }
}

/** The first and last of the days. */
const spanWith = ([first, last]: readonly string[], day: string): string[] => [
  first === undefined || day < first ? day : first,
  last === undefined || day > last ? day : last,
]

/** Names lines and makes rows of them. */
function lineRows({ accounts = {}, statements = [] }: BankJob) {
  const named = new Map<string, { identities: LineIdentities; closing: Balance | undefined }>()
  let number = 0
  let place = -1
  let statement: Statement | undefined
  return {
    begin(next: Statement): void {
      place++
      statement = next
      const known = accounts[next.account]
      if (!known) return
      const { closing } = named.get(next.account) ?? {}
      // Equal lines are counted on from the statement that this one follows on; any other may have the same lines.
      if (closing && next.opening && isEqual(closing.amount, next.opening.amount)) return
      const identities = lineIdentities(known.key, known.trustsReferences)
      named.set(next.account, { identities, closing: undefined })
    },
    of({ line }: Extract<BankItem, { is: 'line' }>): SourceRow | undefined {
      const { account = '', currency = '', number: ownNumber, id } = statement!
      const known = accounts[account]
      const key = statements[place]
      if (!known || key === null) return undefined
      const owner = { account: known.key, statement: key, statementNumber: ownNumber ?? id, currency }
      return { number: ++number, cells: lineCells(line, named.get(account)!.identities.of(line), owner) }
    },
    end({ closing }: StatementEnd): void {
      const one = named.get(statement?.account ?? '')
      if (one) one.closing = closing
    },
  }
}
