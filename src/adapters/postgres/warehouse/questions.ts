/**
 * Analysts' questions, each on a connection of its own as a login that sees one company and the columns that are granted.
 * What it may not see is the server's to refuse: nothing is decided by the words of a statement.
 */
import type pg from 'pg'
import { invalid, Unavailable } from '../../../domain/errors.ts'
import type { Company } from '../../../domain/events/event.ts'
import type { QueryAnswer, SqlQuestion, TableInfo } from '../../../ports/warehouse.ts'
import { connectAs, isTrouble, sqlState } from '../connection.ts'
import type { Logins } from './grants.ts'
import { faultOf } from './question-faults.ts'
import { rowText } from './question-values.ts'

export interface QuestionLimits {
  readonly milliseconds: number
  readonly rows: number
  /** Of the answer, as JSON text. */
  readonly characters: number
}

export interface QuestionOf extends SqlQuestion {
  readonly url: string
  readonly company: Company
  readonly logins: Logins
  readonly limits: QuestionLimits
  /** Every table that there is: for what is said of those that cannot be read. */
  readonly tables: readonly TableInfo[]
  /** Ends the session with this process id, from another one. */
  readonly end: (pid: number) => Promise<void>
}

/** The server ends a statement itself; a session that is still there so much later is ended. */
const GRACE_MS = 1_000
const FETCH = 500
/** A row is in memory before it can be counted: what comes in is counted as it comes. */
const MOST_BYTES = 32 * 2 ** 20
const LOOK_MS = 20

/** @throws Invalid naming `Sql`, and Unavailable */
export async function askQuestion(question: QuestionOf): Promise<QueryAnswer> {
  const { sql, readable, tables, limits } = question
  const client = await connected(question)
  const pid = (client as unknown as { processID: number }).processID
  const stream = (client as unknown as { connection: { stream: { bytesRead: number } } }).connection.stream
  const late = setTimeout(() => void question.end(pid).catch(() => {}), limits.milliseconds + GRACE_MS)
  let isTooMuch = false
  const watch = setInterval(() => {
    if (stream.bytesRead < MOST_BYTES || isTooMuch) return
    isTooMuch = true
    void client.end().catch(() => {})
    void question.end(pid).catch(() => {})
  }, LOOK_MS)
  try {
    return { json: await answerOf(client, sql, limits) }
  } catch (error) {
    if (isTooMuch)
      throw invalid('Sql', `gives more than ${limits.characters / 1e6} MB; ask for fewer columns`)
    const fault = faultOf(error, {
      readable,
      tables,
      milliseconds: limits.milliseconds,
      before: DECLARE.length,
    })
    if (!fault) throw unavailable(error)
    if ('forbidden' in fault) return fault
    throw invalid('Sql', fault.fault)
  } finally {
    clearTimeout(late)
    clearInterval(watch)
    void client.end().catch(() => {})
  }
}

async function connected({ url, company, readable, logins }: QuestionOf): Promise<pg.Client> {
  for (let i = 1; ; i++) {
    const login = await logins.for(company, readable)
    try {
      return await connectAs(url, login)
    } catch (error) {
      // Class 28: somebody has dropped it.
      if (i > 1 || !sqlState(error).startsWith('28')) throw unavailable(error)
      logins.forget(login)
    }
  }
}

const unavailable = (error: unknown): unknown =>
  isTrouble(error) ? new Unavailable(`the warehouse cannot be asked (${(error as Error).message})`) : error

const DECLARE = 'DECLARE question NO SCROLL CURSOR FOR '

/** A cursor takes one query and nothing else: no INTO, no WITH that writes, no second statement. */
async function answerOf(client: pg.Client, sql: string, limits: QuestionLimits): Promise<string> {
  await client.query('BEGIN READ ONLY')
  await client.query(`SET LOCAL statement_timeout = ${limits.milliseconds}`)
  const text = DECLARE + sql.replace(/[\s;]+$/, '')
  // The extended protocol: a second statement is refused before anything is done.
  await client.query({ text, values: [], queryMode: 'extended' } as pg.QueryConfig)
  const until = performance.now() + limits.milliseconds
  let json = ''
  let count = 0
  for (;;) {
    const left = Math.max(1, Math.ceil(until - performance.now()))
    await client.query(`SET LOCAL statement_timeout = ${left}`)
    const { rows, fields } = await client.query<(string | null)[]>({
      text: `FETCH ${FETCH} FROM question`,
      rowMode: 'array',
    })
    if (json === '') json = `{"Columns":${JSON.stringify(fields.map(({ name }) => name))},"Rows":[`
    for (const row of rows) {
      if (++count > limits.rows)
        throw invalid('Sql', `gives more than ${limits.rows} rows; add a LIMIT, or export the table`)
      json += `${count > 1 ? ',' : ''}${rowText(row, fields)}`
      if (json.length > limits.characters)
        throw invalid('Sql', `gives more than ${limits.characters / 1e6} MB; ask for fewer columns`)
    }
    if (rows.length < FETCH) return `${json}]}`
  }
}
