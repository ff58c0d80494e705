/** An answer as bars: the first column names them, each column of numbers is a series. */
import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import type { Outcome } from '../api/warehouse.ts'
import { Nothing } from '../shared/page.tsx'
import { useWords } from '../words/words.tsx'

const MOST_BARS = 200
const COLORS = ['indigo.6', 'teal.7', 'orange.7', 'grape.6', 'cyan.7']

export function OutcomeChart({ outcome: { Columns, Rows } }: { readonly outcome: Outcome }) {
  const { t } = useWords()
  const numbers = Columns.map((name, index) => ({ name, index })).filter(
    ({ index }) => index > 0 && Rows.some((row) => typeof row[index] === 'number'),
  )
  if (numbers.length === 0) return <Nothing>{t('warehouse.noNumbers')}</Nothing>
  const data = Rows.slice(0, MOST_BARS).map((row) => ({
    name: String(row[0] ?? '–'),
    ...Object.fromEntries(numbers.map(({ name, index }) => [name, row[index]])),
  }))
  // Of counts, half a one is no mark.
  const isWhole = Rows.every((row) => numbers.every(({ index }) => Number.isInteger(row[index] ?? 0)))
  const series = numbers.map(({ name }, index) => ({ name, color: COLORS[index % COLORS.length]! }))
  return (
    <figure
      style={{ margin: 0 }}
      aria-label={t('warehouse.chartOf', {
        names: numbers.map(({ name }) => name).join(', '),
        by: Columns[0] ?? '',
      })}
    >
      <BarChart
        h={360}
        data={data}
        dataKey="name"
        series={series}
        withLegend={series.length > 1}
        yAxisProps={{ allowDecimals: !isWhole }}
        barProps={{ isAnimationActive: false }}
      />
      {Rows.length > MOST_BARS && <figcaption>{t('warehouse.firstBars', { most: MOST_BARS })}</figcaption>}
    </figure>
  )
}
