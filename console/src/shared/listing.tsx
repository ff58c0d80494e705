/** A table of what a query answers: loading, trouble, nothing, or rows. */
import { Table, VisuallyHidden } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Nothing, PageLoading } from './page.tsx'
import { Trouble } from './trouble.tsx'

export interface Column<T> {
  readonly title: string
  readonly of: (row: T) => ReactNode
  readonly isNumber?: boolean
  /** Whether its title is read aloud only. */
  readonly isQuiet?: boolean
}

export interface RowsProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly nothing: string
  readonly keyOf: (row: T) => string
  /** The first one names the row. */
  readonly columns: readonly Column<T>[]
}

export interface ListingProps<T> extends Omit<RowsProps<T>, 'rows'> {
  readonly query: UseQueryResult<readonly T[]>
}

export function Listing<T>({ query, ...rest }: ListingProps<T>) {
  if (query.error) return <Trouble error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <PageLoading />
  return <Rows rows={query.data} {...rest} />
}

export function Rows<T>({ label, rows, nothing, keyOf, columns }: RowsProps<T>) {
  if (rows.length === 0) return <Nothing>{nothing}</Nothing>
  return (
    <div className="grid-scroll" tabIndex={0} role="region" aria-label={label}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, isNumber, isQuiet }) => (
              <Table.Th key={title} className={isNumber ? 'number' : undefined}>
                {isQuiet ? <VisuallyHidden>{title}</VisuallyHidden> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ title, of, isNumber }, index) =>
                index === 0 ? (
                  <Table.Th key={title} scope="row" fw={500}>
                    {of(row)}
                  </Table.Th>
                ) : (
                  <Table.Td key={title} className={isNumber ? 'number' : undefined}>
                    {of(row)}
                  </Table.Td>
                ),
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
