/** The warehouse: its tables, a question in SQL, and the answer as a table, a chart or a file. */
import { Anchor, Button, Grid, Group, ScrollArea, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Fragment, lazy, Suspense, useRef } from 'react'
import { useGo } from '../app/go.tsx'
import type { Search } from '../app/search.ts'
import { questionQuery, tablesQuery, type Outcome, type WarehouseTable } from '../api/warehouse.ts'
import { csvOf, saveAs } from '../shared/csv.ts'
import { Page, PageLoading } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { OutcomeTable } from './outcome-table.tsx'
import { SqlEditor } from './sql-editor.tsx'

const OutcomeChart = lazy(async () => ({ default: (await import('./outcome-chart.tsx')).OutcomeChart }))

export function WarehousePage() {
  const { t } = useWords()
  const tables = useQuery(tablesQuery)
  return (
    <Page title={t('warehouse.title')} text={t('warehouse.text')}>
      {tables.error && <Trouble error={tables.error} onRetry={() => void tables.refetch()} />}
      {tables.isPending && <PageLoading />}
      {tables.data && <Questions tables={tables.data} />}
    </Page>
  )
}

function Questions({ tables }: { readonly tables: readonly WarehouseTable[] }) {
  const { t } = useWords()
  const go = useGo()
  const queries = useQueryClient()
  const { sql = '', as = 'table' }: Search = useSearch({ strict: false })
  const text = useRef(
    sql ||
      `SELECT * FROM ${tables.find(({ Rows, IsHistory }) => Rows > 0 && !IsHistory)?.Name ?? tables[0]?.Name ?? ''} LIMIT 100`,
  )
  const outcome = useQuery({ ...questionQuery(sql), enabled: sql !== '' })
  const askFor = (question: string) => {
    queries.removeQueries({ queryKey: questionQuery(question).queryKey })
    go('/warehouse', { search: { sql: question, as: as === 'table' ? undefined : as } })
    if (question === sql) void outcome.refetch()
  }
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 3 }}>
        <Tables tables={tables} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 9 }}>
        <Stack gap="sm">
          <SqlEditor
            label={t('warehouse.sql')}
            first={text.current}
            tables={tables}
            onText={(next) => {
              text.current = next
            }}
            onAsk={() => askFor(text.current.trim())}
          />
          <Group gap="xs">
            <Button
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
              loading={outcome.isFetching}
              onClick={() => askFor(text.current.trim())}
            >
              {t('warehouse.ask')}
            </Button>
            {outcome.data && (
              <>
                <SegmentedControl
                  transitionDuration={0}
                  size="xs"
                  aria-label={t('warehouse.shownAs')}
                  data={[
                    { value: 'table', label: t('warehouse.table') },
                    { value: 'chart', label: t('warehouse.chart') },
                  ]}
                  value={as}
                  onChange={(next) =>
                    go('/warehouse', {
                      search: { sql, as: next === 'table' ? undefined : next },
                      replace: true,
                    })
                  }
                />
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => saveAs('answer.csv', csvOf([outcome.data.Columns, ...outcome.data.Rows]))}
                >
                  CSV
                </Button>
              </>
            )}
          </Group>
          {outcome.error && <Trouble error={outcome.error} />}
          {outcome.data && !outcome.error && <Answer outcome={outcome.data} as={as} />}
        </Stack>
      </Grid.Col>
    </Grid>
  )
}

function Answer({ outcome, as }: { readonly outcome: Outcome; readonly as: string }) {
  const { t, number } = useWords()
  const rows = number(outcome.Rows.length)
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {t('warehouse.rows', { rows })}
      </Text>
      {as === 'chart' ? (
        <Suspense fallback={<PageLoading />}>
          <OutcomeChart outcome={outcome} />
        </Suspense>
      ) : (
        <OutcomeTable outcome={outcome} />
      )}
    </>
  )
}

function Tables({ tables }: { readonly tables: readonly WarehouseTable[] }) {
  const { t, number } = useWords()
  const go = useGo()
  return (
    <ScrollArea.Autosize
      mah={{ base: 180, md: 640 }}
      type="auto"
      scrollbars="y"
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t('warehouse.tables') }}
    >
      {tables.map(({ Name, Rows, Columns, Description }) => (
        <details key={Name}>
          <summary title={Description}>
            <Text span size="xs">
              <Breaking name={Name} />{' '}
            </Text>
            <Text span size="xs" c="dimmed">
              {number(Rows)}
            </Text>
          </summary>
          <Anchor
            component="button"
            type="button"
            size="xs"
            onClick={() => go('/warehouse', { search: { sql: `SELECT * FROM ${Name} LIMIT 100` } })}
          >
            {t('warehouse.first')}
          </Anchor>
          {Columns.map((column) => (
            <Text key={column.Name} size="xs" title={column.Description} pl="sm">
              {column.Name}{' '}
              <Text span inherit c="dimmed">
                {column.Type}
              </Text>
            </Text>
          ))}
        </details>
      ))}
    </ScrollArea.Autosize>
  )
}

/** A long name is broken after an underscore, and nowhere else. */
function Breaking({ name }: { readonly name: string }) {
  return name.split(/(?<=_)/).map((part, index) => (
    // The parts of a name do not change.
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ))
}
