/** The table of records: sorted by its headings, each record opened by its first cell. */
import { Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { columnOrderingFeature, createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table'
import { useMemo } from 'react'
import { Go } from '../../app/go.tsx'
import type { Record_ } from '../../api/records.ts'
import { spaced, spacedPath } from '../../shared/names.ts'
import { Nothing } from '../../shared/page.tsx'
import { useWords } from '../../words/words.tsx'
import { isNumeric, textOfValue, Value } from '../values/value.tsx'
import { columnOf, valueIn, type GridProps } from './grid-props.ts'

const features = tableFeatures({ columnOrderingFeature })
const helper = createColumnHelper<typeof features, Record_>()

export interface RecordTableProps extends GridProps {
  readonly columns: readonly string[]
  readonly records: readonly Record_[]
  /** Whether others are being asked for. */
  readonly busy: boolean
}

export function RecordTable(props: RecordTableProps) {
  const { object, seen, search, onSearch, columns: names, records, busy } = props
  const words = useWords()
  const { t } = words
  const columns = useMemo(
    () =>
      helper.columns(
        names.map((name) =>
          helper.accessor((record) => valueIn({ object, seen }, record, name), {
            id: name,
            header: spacedPath(name),
          }),
        ),
      ),
    [names.join(), object, seen],
  )
  const table = useTable({ features, columns, data: records, getRowId: ({ Id }) => Id })
  const sorted = (search.sort ?? '').split(',')[0] ?? ''
  const at = search.asOf === undefined ? undefined : { asOf: search.asOf }
  if (records.length === 0)
    return <Nothing>{search.filter || search.search ? t('records.noneFound') : t('records.none')}</Nothing>
  return (
    <div className="grid-scroll" tabIndex={0} role="region" aria-label={spaced(object.Name)} aria-busy={busy}>
      <Table highlightOnHover stickyHeader>
        <Table.Thead>
          {table.getHeaderGroups().map((group) => (
            <Table.Tr key={group.id}>
              {group.headers.map(({ id }) => {
                const { field } = columnOf(props, id)!
                const direction = sorted === id ? 'ascending' : sorted === `-${id}` ? 'descending' : undefined
                const next =
                  direction === 'ascending' ? `-${id}` : direction === 'descending' ? undefined : id
                return (
                  <Table.Th
                    key={id}
                    aria-sort={direction ?? 'none'}
                    className={isNumeric(field) ? 'number' : undefined}
                  >
                    {field.Type === 'json' || id.includes('/') ? (
                      spacedPath(id)
                    ) : (
                      <UnstyledButton fz="sm" fw={600} onClick={() => onSearch({ sort: next })}>
                        {spacedPath(id)}
                        {direction === 'ascending' && <IconArrowUp size={13} aria-hidden />}
                        {direction === 'descending' && <IconArrowDown size={13} aria-hidden />}
                      </UnstyledButton>
                    )}
                  </Table.Th>
                )
              })}
            </Table.Tr>
          ))}
        </Table.Thead>
        <Table.Tbody style={{ opacity: busy ? 0.6 : 1 }}>
          {table.getRowModel().rows.map((row) => (
            <Table.Tr key={row.id}>
              {row.getAllCells().map(({ column: { id } }, index) => {
                const { object: of, field } = columnOf(props, id)!
                const value = valueIn(props, row.original, id)
                const number = isNumeric(field) ? 'number' : undefined
                if (index > 0)
                  return (
                    <Table.Td key={id} className={number}>
                      <span className="cell">
                        <Value value={value} field={field} object={of} short />
                      </span>
                    </Table.Td>
                  )
                const text = textOfValue(value, field, words)
                return (
                  <Table.Th key={id} scope="row" fw={500} className={number}>
                    <Go to={`/records/${object.Object}/${row.id}`} search={at} className="value-link cell">
                      {text === '–' ? <VisuallyHidden>{row.id}</VisuallyHidden> : null}
                      {text}
                    </Go>
                  </Table.Th>
                )
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {busy && (
        <Text size="xs" role="status" px="sm">
          {t('loading')}
        </Text>
      )}
    </div>
  )
}
