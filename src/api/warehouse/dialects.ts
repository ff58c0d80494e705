/** SQL of other engines that fails here, and what to write for it: beside every way that fails, one that works. */

/** `found` sees the question in lower case, with `''` for every text and quoted name, and without comments. */
interface Foreign {
  readonly found: RegExp
  readonly named: string
  /** What works on SQLite; undefined where the foreign way works there, too. */
  readonly sqlite?: string
  /** The same on PostgreSQL. */
  readonly postgres?: string
}

export const ENGINES = ['sqlite', 'postgres'] as const
export type Engine = (typeof ENGINES)[number]

/** What `EXTRACT(YEAR FROM column)` is: a number, as strftime() gives text, which no number equals. */
const PART = "CAST(strftime('%Y', column) AS INTEGER), with %m for the month and %d for the day"
const SQUARES = 'max(0, sum(x * x) - sum(x) * avg(x))'
const DAYS = 'julianday(later) - julianday(earlier), in days'
const LATER = { sqlite: "date(column, '+1 month')", postgres: "column + INTERVAL '1 month'" }
const FIRST = { sqlite: 'LIMIT 5 at the end', postgres: 'LIMIT 5 at the end' }
const both = (advice: string) => ({ sqlite: advice, postgres: advice })

const FOREIGN: readonly Foreign[] = [
  { found: /\bselect\s+(distinct\s+)?top[\s(]+\d/, named: 'TOP 5', ...FIRST },
  { found: /\bfetch\s+(first|next)\b/, named: 'FETCH FIRST 5 ROWS ONLY', sqlite: FIRST.sqlite },
  { found: /\blimit\s+\d+\s*,/, named: 'LIMIT 5, 10', postgres: 'LIMIT 10 OFFSET 5' },
  { found: /\bextract\s*\(/, named: 'EXTRACT', sqlite: PART },
  { found: /\bdate_part\s*\(/, named: 'date_part', sqlite: PART },
  {
    found: /\b(year|month|day)\s*\(/,
    named: 'YEAR(column)',
    sqlite: PART,
    postgres: 'EXTRACT(YEAR FROM column)',
  },
  { found: /\bdate_trunc\s*\(/, named: 'DATE_TRUNC', sqlite: "date(column, 'start of month')" },
  {
    found: /\bdate_trunc\s*\(\s*''\s*,\s*(year|quarter|month|week|day)\s*\)/,
    named: 'DATE_TRUNC(column, MONTH)',
    postgres: "date_trunc('month', column)",
  },
  { found: /\b(dateadd|date_add|date_sub|timestampadd)\s*\(/, named: 'DATEADD', ...LATER },
  { found: /\b(datediff|date_diff|timestampdiff)\s*\(/, named: 'DATEDIFF', ...both(DAYS) },
  { found: /\binterval\s*(''|\d)/, named: "INTERVAL '1 month'", sqlite: LATER.sqlite },
  { found: /\binterval\s+\d/, named: 'INTERVAL 1 MONTH', postgres: "INTERVAL '1 month'" },
  { found: /\b(date|timestamp)\s*''/, named: "DATE '2026-01-01'", sqlite: "'2026-01-01'" },
  { found: /\bdate\s*\([^(),]*,/, named: LATER.sqlite, postgres: LATER.postgres },
  { found: /::\s*\w/, named: 'column::text', sqlite: 'CAST(column AS TEXT)' },
  { found: /\bto_char\s*\(/, named: 'to_char', sqlite: "strftime('%Y-%m', column)" },
  {
    found: /\bdate_format\s*\(/,
    named: 'DATE_FORMAT',
    sqlite: "strftime('%Y-%m', column)",
    postgres: "to_char(column, 'YYYY-MM')",
  },
  { found: /\bstrftime\s*\(/, named: 'strftime', postgres: "to_char(column, 'YYYY-MM')" },
  { found: /\bnow\s*\(/, named: 'NOW()', sqlite: "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')" },
  {
    found: /\b(getdate|sysdatetime)\s*\(/,
    named: 'GETDATE()',
    sqlite: "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')",
    postgres: 'now()',
  },
  { found: /\b(curdate|today|current_date)\s*\(/, named: 'CURDATE()', ...both('CURRENT_DATE') },
  { found: /\b(isnull|nvl)\s*\(/, named: 'ISNULL or NVL', ...both('coalesce(a, b)') },
  { found: /\bifnull\s*\(/, named: 'IFNULL', postgres: 'coalesce(a, b)' },
  { found: /\bii?f\s*\(/, named: 'IF', postgres: 'CASE WHEN condition THEN a ELSE b END' },
  { found: /\bgreatest\s*\(/, named: 'GREATEST', sqlite: 'max(a, b)' },
  { found: /\bleast\s*\(/, named: 'LEAST', sqlite: 'min(a, b)' },
  { found: /\bstddev(_samp)?\s*\(/, named: 'stddev(x)', sqlite: `sqrt(${SQUARES} / (count(x) - 1))` },
  { found: /\bstddev_pop\s*\(/, named: 'stddev_pop(x)', sqlite: `sqrt(${SQUARES} / count(x))` },
  { found: /\bvar(iance|_samp)\s*\(/, named: 'variance(x)', sqlite: `${SQUARES} / (count(x) - 1)` },
  {
    found: /\bmedian\s*\(/,
    named: 'median(x)',
    postgres: 'percentile_cont(0.5) WITHIN GROUP (ORDER BY x)',
  },
  { found: /\blistagg\s*\(/, named: 'LISTAGG', ...both("string_agg(column, ',')") },
  { found: /\bgroup_concat\s*\(/, named: 'group_concat', postgres: "string_agg(column, ',')" },
  { found: /\bleft\s*\(/, named: 'LEFT(column, 3)', sqlite: 'substr(column, 1, 3)' },
  { found: /\bright\s*\(/, named: 'RIGHT(column, 3)', sqlite: 'substr(column, -3)' },
  { found: /\blen\s*\(/, named: 'LEN', ...both('length(column)') },
  { found: /\bilike\b/, named: 'ILIKE', sqlite: 'LIKE, which ignores the case of A to Z' },
]

/** `; in place of NVL write coalesce(a, b)`, for all that the question has and this engine does not; else nothing. */
export function dialectHints(engine: Engine, sql: string): string {
  const bare = sql
    .replace(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"[^"]*"/g, (part) =>
      /^['"]/.test(part) ? "''" : ' ',
    )
    .toLowerCase()
  return FOREIGN.map(({ found, named, [engine]: advice }) =>
    advice !== undefined && found.test(bare) ? `; in place of ${named} write ${advice}` : '',
  ).join('')
}
