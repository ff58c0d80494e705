/** The rows of an import with what became of them; before the commit, those that would be refused. */
import { Group, Text } from '@mantine/core'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { rowsQuery, type Import, type ImportRow } from '../api/imports.ts'
import { Go } from '../app/go.tsx'
import type { Search } from '../app/search.ts'
import { ChooseState } from '../shared/choose-state.tsx'
import { Listing } from '../shared/listing.tsx'
import { TurnPages } from '../shared/pages.tsx'
import { useWords } from '../words/words.tsx'

export interface ImportRowsProps {
  readonly whole: Import
  readonly outcome: string | undefined
  readonly page: string | undefined
  readonly onShow: (search: Search) => void
}

const OF_FILES = ['Created', 'Updated', 'Unchanged', 'Skipped', 'Failed'] as const
const OUTCOMES = {
  file: OF_FILES,
  bank: OF_FILES,
  undo: ['Undone', 'Kept', 'Unchanged', 'Failed'],
} as const
const FEW_COLUMNS = 4

export function ImportRowsTable({ whole, outcome, page, onShow }: ImportRowsProps) {
  const { t, number } = useWords()
  const isCommitted = whole.CommittedAt !== null
  const rows = useQuery(rowsQuery(whole.Id, outcome, page, `${whole.State} ${whole.Counts.Done}`))
  return (
    <>
      {isCommitted ? (
        <Group mb="xs">
          <ChooseState
            label={t('imports.outcome')}
            states={OUTCOMES[whole.Kind]}
            textOf={(one) => `${t(`imports.${one}`)} (${number(whole.Counts[one])})`}
            value={outcome}
            onChoose={(next) => onShow({ outcome: next, page: undefined })}
          />
        </Group>
      ) : (
        <Text size="sm" c="dimmed" mb="xs">
          {t(whole.Kind === 'undo' ? 'imports.onlyKept' : 'imports.onlyRefused')}
        </Text>
      )}
      <Listing
        label={t('imports.rows')}
        query={{ ...rows, data: rows.data?.rows } as UseQueryResult<readonly ImportRow[]>}
        nothing={t(
          isCommitted
            ? 'imports.noSuchRows'
            : whole.Kind === 'undo'
              ? 'imports.noneKept'
              : 'imports.noneRefused',
        )}
        keyOf={({ Row }) => String(Row)}
        columns={[
          { title: t('imports.row'), of: ({ Row }) => number(Row) },
          { title: t('imports.outcome'), of: ({ Outcome }) => t(`imports.${Outcome}`) },
          {
            title: t('deliveries.record'),
            of: ({ Id }) =>
              Id === null ? (
                '–'
              ) : (
                <Go to={`/records/${whole.Object}/${Id}`} className="value-link one-line">
                  …{Id.slice(-6)}
                </Go>
              ),
          },
          { title: t('imports.why'), of: (row) => <Why row={row} /> },
          ...whole.Columns.slice(0, FEW_COLUMNS).map((column) => ({
            title: column,
            of: ({ Cells }: ImportRow) => <span className="cell">{Cells[column] ?? ''}</span>,
          })),
        ]}
      />
      <TurnPages pagination={rows.data?.pagination} onPage={(next) => onShow({ outcome, page: next })} />
    </>
  )
}

function Why({ row: { Errors, Message } }: { readonly row: ImportRow }) {
  if (Errors.length === 0) return Message ?? '–'
  return (
    <div style={{ minWidth: 220 }}>
      {Errors.map(({ Field, Column, Message: text }) => (
        <div key={`${Field} ${text}`}>
          {Field && <b>{Column ?? Field}: </b>}
          {text}
        </div>
      ))}
    </div>
  )
}
