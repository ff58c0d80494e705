/**
 * SQL that people bring from other engines: a question that fails here is answered with what works here, and that works. Every
 * engine of the warehouse has the same three contracts, and the same values come out.
 */
import { expect } from 'chai'
import { testService, type HeaderValues, type TestService } from '../support/service.ts'

export type Engine = 'sqlite' | 'postgres'

interface Case {
  /** What is asked, of the table of contracts. */
  readonly asked: string
  /** What the error advises, and the same written so; undefined where it works as it is. */
  readonly sqlite?: readonly [advice: string, written: string]
  readonly postgres?: readonly [advice: string, written: string]
  /** The one value of the answer, as text; undefined where it is the moment of asking. */
  readonly gives?: string
}

const FIRST = `WHERE "MonthlyRent_Amount" = 100`
const PART = "CAST(strftime('%Y', column) AS INTEGER)"
const asYear = `CAST(strftime('%Y', "StartDate") AS INTEGER) ${FIRST}`
const SQUARES = 'max(0, sum(x * x) - sum(x) * avg(x))'
const squares = SQUARES.replaceAll('x)', '"MonthlyRent_Amount")').replaceAll('(x', '("MonthlyRent_Amount"')
const X = '"MonthlyRent_Amount"'
const NEXT_MONTH = [
  "date(column, '+1 month')",
  `substr(date("StartDate", '+1 month'), 1, 10) ${FIRST}`,
] as const
const NEXT_MONTH_TOO = [
  "column + INTERVAL '1 month'",
  `substr(CAST("StartDate" + INTERVAL '1 month' AS TEXT), 1, 10) ${FIRST}`,
] as const
const DAYS = [
  'julianday(later) - julianday(earlier), in days',
  `julianday("EndDate") - julianday("StartDate") ${FIRST}`,
] as const
const COALESCE = ['coalesce(a, b)', `coalesce("Notes", 'none') ${FIRST}`] as const
const TODAY = ['CURRENT_DATE', `CURRENT_DATE ${FIRST}`] as const
const LIMIT = ['LIMIT 5 at the end', `1 ${FIRST} LIMIT 5`] as const
const NOW = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
const MONTH = ["strftime('%Y-%m', column)", `strftime('%Y-%m', "StartDate") ${FIRST}`] as const
const MONTH_TOO = ["to_char(column, 'YYYY-MM')", `to_char("StartDate", 'YYYY-MM') ${FIRST}`] as const
const JOINED = ["string_agg(column, ',')", `string_agg("Status", ',') ${FIRST}`] as const
const EXTRACTED = ['EXTRACT(YEAR FROM column)', `EXTRACT(YEAR FROM "StartDate") ${FIRST}`] as const

const CASES: readonly Case[] = [
  { asked: `TOP 5 1 ${FIRST}`, sqlite: LIMIT, postgres: LIMIT, gives: '1' },
  { asked: `1 ${FIRST} FETCH FIRST 5 ROWS ONLY`, sqlite: LIMIT, gives: '1' },
  {
    asked: `1 FROM "wh_Leasing_Contract" LIMIT 2,10 --`,
    postgres: ['LIMIT 10 OFFSET 5', `1 FROM "wh_Leasing_Contract" LIMIT 10 OFFSET 2 --`],
    gives: '1',
  },
  { asked: `EXTRACT(YEAR FROM "StartDate") ${FIRST}`, sqlite: [PART, asYear], gives: '2099' },
  { asked: `date_part('year', "StartDate") ${FIRST}`, sqlite: [PART, asYear], gives: '2099' },
  { asked: `YEAR("StartDate") ${FIRST}`, sqlite: [PART, asYear], postgres: EXTRACTED, gives: '2099' },
  {
    asked: `substr(CAST(DATE_TRUNC('month', "StartDate") AS TEXT), 1, 10) ${FIRST}`,
    sqlite: ["date(column, 'start of month')", `date("StartDate", 'start of month') ${FIRST}`],
    gives: '2099-01-01',
  },
  {
    asked: `DATE_TRUNC("StartDate", MONTH) ${FIRST}`,
    sqlite: ["date(column, 'start of month')", `date("StartDate", 'start of month') ${FIRST}`],
    postgres: [
      "date_trunc('month', column)",
      `substr(CAST(date_trunc('month', "StartDate") AS TEXT), 1, 10) ${FIRST}`,
    ],
    gives: '2099-01-01',
  },
  {
    asked: `DATEADD(month, 1, "StartDate") ${FIRST}`,
    sqlite: NEXT_MONTH,
    postgres: NEXT_MONTH_TOO,
    gives: '2099-02-15',
  },
  {
    asked: `DATE_ADD("StartDate", INTERVAL 1 MONTH) ${FIRST}`,
    sqlite: NEXT_MONTH,
    postgres: NEXT_MONTH_TOO,
    gives: '2099-02-15',
  },
  {
    asked: `substr(CAST("StartDate" + INTERVAL '1 month' AS TEXT), 1, 10) ${FIRST}`,
    sqlite: NEXT_MONTH,
    gives: '2099-02-15',
  },
  {
    asked: `"StartDate" + INTERVAL 1 MONTH ${FIRST}`,
    sqlite: NEXT_MONTH,
    postgres: ["INTERVAL '1 month'", NEXT_MONTH_TOO[1]],
    gives: '2099-02-15',
  },
  { asked: `date("StartDate", '+1 month') ${FIRST}`, postgres: NEXT_MONTH_TOO, gives: '2099-02-15' },
  { asked: `DATEDIFF(day, "StartDate", "EndDate") ${FIRST}`, sqlite: DAYS, postgres: DAYS, gives: '27' },
  { asked: `DATEDIFF("EndDate", "StartDate") ${FIRST}`, sqlite: DAYS, postgres: DAYS, gives: '27' },
  {
    asked: `count(*) FROM "wh_Leasing_Contract" WHERE "StartDate" > DATE '2026-01-01' --`,
    sqlite: ["'2026-01-01'", `count(*) FROM "wh_Leasing_Contract" WHERE "StartDate" > '2026-01-01' --`],
    gives: '3',
  },
  {
    asked: `"StartDate"::text ${FIRST}`,
    sqlite: ['CAST(column AS TEXT)', `CAST("StartDate" AS TEXT) ${FIRST}`],
    gives: '2099-01-15',
  },
  { asked: `to_char("StartDate", 'YYYY-MM') ${FIRST}`, sqlite: MONTH, gives: '2099-01' },
  {
    asked: `DATE_FORMAT("StartDate", '%Y-%m') ${FIRST}`,
    sqlite: MONTH,
    postgres: MONTH_TOO,
    gives: '2099-01',
  },
  { asked: `strftime('%Y-%m', "StartDate") ${FIRST}`, postgres: MONTH_TOO, gives: '2099-01' },
  { asked: `NOW() ${FIRST}`, sqlite: [NOW, `${NOW} ${FIRST}`] },
  { asked: `GETDATE() ${FIRST}`, sqlite: [NOW, `${NOW} ${FIRST}`], postgres: ['now()', `now() ${FIRST}`] },
  { asked: `CURRENT_DATE() ${FIRST}`, sqlite: TODAY, postgres: TODAY },
  { asked: `ISNULL("Notes", 'none') ${FIRST}`, sqlite: COALESCE, postgres: COALESCE, gives: 'none' },
  { asked: `NVL("Notes", 'none') ${FIRST}`, sqlite: COALESCE, postgres: COALESCE, gives: 'none' },
  { asked: `IFNULL("Notes", 'none') ${FIRST}`, postgres: COALESCE, gives: 'none' },
  {
    asked: `IF(${X} > 5, 'a', 'b') ${FIRST}`,
    postgres: ['CASE WHEN condition THEN a ELSE b END', `CASE WHEN ${X} > 5 THEN 'a' ELSE 'b' END ${FIRST}`],
    gives: 'a',
  },
  { asked: `GREATEST(1, 2) ${FIRST}`, sqlite: ['max(a, b)', `max(1, 2) ${FIRST}`], gives: '2' },
  { asked: `LEAST(1, 2) ${FIRST}`, sqlite: ['min(a, b)', `min(1, 2) ${FIRST}`], gives: '1' },
  {
    asked: `round(stddev(${X}), 2)`,
    sqlite: [`sqrt(${SQUARES} / (count(x) - 1))`, `round(sqrt(${squares} / (count(${X}) - 1)), 2)`],
    gives: '152.75',
  },
  {
    asked: `round(stddev_pop(${X}), 2)`,
    sqlite: [`sqrt(${SQUARES} / count(x))`, `round(sqrt(${squares} / count(${X})), 2)`],
    gives: '124.72',
  },
  {
    asked: `round(variance(${X}), 2)`,
    sqlite: [`${SQUARES} / (count(x) - 1)`, `round(${squares} / (count(${X}) - 1), 2)`],
    gives: '23333.33',
  },
  {
    asked: `median(${X})`,
    postgres: [
      'percentile_cont(0.5) WITHIN GROUP (ORDER BY x)',
      `percentile_cont(0.5) WITHIN GROUP (ORDER BY ${X})`,
    ],
    gives: '200',
  },
  { asked: `LISTAGG("Status", ',') ${FIRST}`, sqlite: JOINED, postgres: JOINED, gives: 'Draft' },
  { asked: `group_concat("Status", ',') ${FIRST}`, postgres: JOINED, gives: 'Draft' },
  {
    asked: `LEFT("Status", 3) ${FIRST}`,
    sqlite: ['substr(column, 1, 3)', `substr("Status", 1, 3) ${FIRST}`],
    gives: 'Dra',
  },
  {
    asked: `RIGHT("Status", 3) ${FIRST}`,
    sqlite: ['substr(column, -3)', `substr("Status", -3) ${FIRST}`],
    gives: 'aft',
  },
  {
    asked: `LEN("Status") ${FIRST}`,
    sqlite: ['length(column)', `length("Status") ${FIRST}`],
    postgres: ['length(column)', `length("Status") ${FIRST}`],
    gives: '5',
  },
  {
    asked: `"Status" ${FIRST} AND "Status" ILIKE 'DRAFT'`,
    sqlite: ['LIKE, which ignores the case of A to Z', `"Status" ${FIRST} AND "Status" LIKE 'DRAFT'`],
    gives: 'Draft',
  },
  { asked: `CONCAT("Status", '!') ${FIRST}`, gives: 'Draft!' },
  { asked: `count(*) ${FIRST} AND julianday("StartDate") - julianday(CURRENT_DATE) > 30`, gives: '1' },
  { asked: `julianday("EndDate") - julianday("StartDate") ${FIRST}`, gives: '27' },
]

/** To be called in a suite; `settings` are those of a service on this engine. */
export function foreignSqlContract(engine: Engine, settings: () => Promise<HeaderValues>): void {
  let service: TestService
  let position: string

  before(async () => {
    service = await testService({ settings: await settings() })
    for (const Amount of [100, 200, 400])
      await service.create('contract', {
        MonthlyRent: { Amount, Currency: 'EUR' },
        StartDate: '2099-01-15',
        EndDate: '2099-02-11',
      })
    const last = await service.post('tenant', { Name: 'the last one' })
    position = last.headers.get('Daybook-Position')!
  })
  after(() => service?.discard())

  const ask = (selected: string) => {
    const [what, where] = selected.split(/ (?=WHERE)/, 2) as [string, string?]
    const Sql = what.includes('FROM "wh_')
      ? `SELECT ${selected}`
      : `SELECT ${what} FROM "wh_Leasing_Contract" ${where ?? ''}`
    return service.post('warehouse/query', { Sql }, { 'Daybook-At-Least': position })
  }
  const expectValue = async (selected: string, gives: string | undefined) => {
    const answer = await ask(selected)
    expect(answer.status, `${selected}: ${answer.text}`).to.equal(200)
    const rows = answer.data['Rows'] as readonly (readonly unknown[])[]
    expect(rows).to.have.length(1)
    if (gives !== undefined) expect(String(rows[0]![0])).to.equal(gives)
  }

  for (const one of CASES) {
    const advised = one[engine]
    if (!advised) {
      it(`takes ${one.asked}`, () => expectValue(one.asked, one.gives))
      continue
    }
    it(`says what to write for ${one.asked}, and takes that`, async () => {
      const [advice, written] = advised
      const { status, faults } = await ask(one.asked)
      expect(status).to.equal(400)
      expect(faults[0]).to.include(` write ${advice}`)
      await expectValue(written, one.gives)
    })
  }

  it('advises nothing for what stands in a text, a name or a comment', async () => {
    for (const text of [`'TOP 5, NVL(a)::text'`, `"NVL(a)" -- LIMIT 5,10 ILIKE`, '/* stddev( */ 1'])
      expect((await ask(`${text} FRM x`)).text, text).not.to.include('in place of')
  })
}
