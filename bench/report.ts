/** The results as tables: for the terminal, as Markdown, into a page. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Fact, Figure, Results } from './figures.ts'
import type { Machine } from './machine.ts'

/** What a table shows of each figure. */
export interface Layout {
  readonly columns: readonly string[]
  readonly cells: (figure: Figure) => readonly string[]
  /** The text between the comments of this name in a page is replaced by the results. */
  readonly section: string
}

const COLUMNS = [
  'Scenario',
  'Contracts',
  'Conn.',
  'per s',
  'p50 ms',
  'p99 ms',
  'Errors',
  'RSS MB',
  'of Express + SQLite',
  'of node:http',
  'Goal',
] as const

export const EMBEDDED: Layout = { columns: COLUMNS, cells, section: 'figures' }

export const ENGINES: Layout = {
  columns: [
    ...['Scenario', 'Engines', 'Contracts', 'Conn.', 'per s', 'p50 ms', 'p99 ms', 'Errors', 'RSS MB'],
    ...['embedded: per s', 'p50 ms', 'p99 ms', 'of embedded'],
  ],
  cells({ title, on = '', records, connections, perSecond, p50, p99, errors, rss, embedded }) {
    const own = [
      title,
      on,
      records.toLocaleString('en'),
      String(connections),
      round(perSecond),
      ms(p50),
      ms(p99),
      String(errors),
      String(rss ?? ''),
    ]
    if (!embedded) return [...own, '', '', '', '']
    const beside = [round(embedded.perSecond), ms(embedded.p50), ms(embedded.p99)]
    return [...own, ...beside, share(perSecond / embedded.perSecond)]
  },
  section: 'engines',
}

export function terminalTable({ figures, facts }: Results, { columns, cells }: Layout = EMBEDDED): string {
  const rows = [[...columns], ...figures.map(cells)]
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')
  return [...rows.map(line), '', ...facts.map(factLine), '', ...notes({ figures, facts })].join('\n')
}

export function markdown(
  results: Results,
  machine: Machine,
  day: string,
  { columns, cells }: Layout = EMBEDDED,
): string {
  const row = (texts: readonly string[]) => `| ${texts.join(' | ')} |`
  const parts = [
    [`Measured on ${day}:`, '', ...[...machine.facts, ...machine.warnings].map((fact) => `- ${fact}`)],
    [
      row(columns),
      row(columns.map((_, i) => (i === 0 ? '---' : '--:'))),
      ...results.figures.map((figure) => row(cells(figure))),
    ],
    results.facts.map((fact) => `- ${factLine(fact)}`),
    notes(results).map((note) => `- ${note}`),
  ]
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')
}

/** @throws Error when the page has no place for the results */
export function intoPage(path: string, text: string, { section }: Layout = EMBEDDED): void {
  const [BEGIN, END] = [`<!-- ${section}: begin -->`, `<!-- ${section}: end -->`]
  const page = readFileSync(path, 'utf8')
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${path} has no lines ${BEGIN} and ${END}`)
  // The table is wider than any page; prettier would only make it wider.
  const ignored = `<!-- prettier-ignore-start -->\n\n${text}\n\n<!-- prettier-ignore-end -->`
  writeFileSync(path, `${page.slice(0, begin + BEGIN.length)}\n\n${ignored}\n\n${page.slice(end)}`)
}

export function figureLine(figure: Figure): string {
  const { title, connections, perSecond, p50, p99, errors } = figure
  const bad = errors > 0 ? `, ${errors} ERRORS` : ''
  const line = `${title}, ${connections} conn.: ${round(perSecond)}/s, p50 ${ms(p50)} ms, p99 ${ms(p99)} ms${bad}`
  return [line, ...figure.notes.map((note) => `    ${note}`)].join('\n')
}

export function factLine({ title, value, unit, goal, notes: more }: Fact): string {
  const amount = unit === 's' ? value.toFixed(2) : String(Math.round(value))
  const aim = goal === undefined ? '' : ` (goal: ${Math.round(goal)} ${unit})`
  return [`${title}: ${amount} ${unit}${aim}`, ...more].join(', ')
}

function cells(figure: Figure): string[] {
  const { title, records, connections, perSecond, p50, p99, errors, rss, ofExpress, ofHttp, goal } = figure
  return [
    title,
    records === 0 ? '' : records.toLocaleString('en'),
    String(connections),
    round(perSecond),
    ms(p50),
    ms(p99),
    String(errors),
    rss === undefined ? '' : String(rss),
    share(ofExpress),
    share(ofHttp),
    goal === undefined ? '' : `${goal.toLocaleString('en')} ${perSecond >= goal ? 'met' : 'missed'}`,
  ]
}

function notes({ figures }: Results): string[] {
  return figures.flatMap(({ title, records, connections, notes: all }) =>
    all.map((note) => `${title}, ${records.toLocaleString('en')} contracts, ${connections} conn.: ${note}`),
  )
}

function round(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1)
}

function share(value: number | undefined): string {
  return value === undefined ? '' : `${value.toFixed(2)}x`
}
