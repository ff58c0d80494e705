/** The rows of an answer. Only those near the window are in the page: ten thousand take no longer than ten. */
import { Table } from '@mantine/core'
import { useState } from 'react'
import type { Outcome } from '../api/warehouse.ts'
import { useWords } from '../words/words.tsx'

const ROW = 32
const HEIGHT = 480
const BEYOND = 10

export function OutcomeTable({ outcome: { Columns, Rows } }: { readonly outcome: Outcome }) {
  const { t } = useWords()
  const [top, setTop] = useState(0)
  const first = Math.max(0, Math.floor(top / ROW) - BEYOND)
  const last = Math.min(Rows.length, Math.ceil((top + HEIGHT) / ROW) + BEYOND)
  return (
    <div
      className="grid-scroll"
      style={{ maxHeight: HEIGHT }}
      tabIndex={0}
      role="region"
      aria-label={t('warehouse.answer')}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <Table aria-rowcount={Rows.length + 1}>
        <Table.Thead>
          <Table.Tr>
            {Columns.map((name, index) => (
              <Table.Th
                key={`${index} ${name}`}
                className={typeof Rows[0]?.[index] === 'number' ? 'number' : undefined}
              >
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Space rows={first} columns={Columns.length} />
          {Rows.slice(first, last).map((row, index) => (
            <Table.Tr key={first + index} h={ROW} aria-rowindex={first + index + 2}>
              {row.map((cell, column) => (
                <Table.Td key={column} className={typeof cell === 'number' ? 'number' : undefined}>
                  <span className="cell">{cell === null ? '–' : String(cell)}</span>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
          <Space rows={Rows.length - last} columns={Columns.length} />
        </Table.Tbody>
      </Table>
    </div>
  )
}

function Space({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  if (rows === 0) return null
  return (
    <tr aria-hidden style={{ height: rows * ROW }}>
      <td colSpan={columns} />
    </tr>
  )
}
