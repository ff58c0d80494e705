/** The first rows of a file, each above what it would become. */
import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { previewQuery, type Import, type Preview } from '../api/imports.ts'
import type { Json } from '../api/records.ts'
import { isMoney, moneyText } from '../records/values/value.tsx'
import { spaced } from '../shared/names.ts'
import { Nothing, PageLoading } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

export function ImportPreview({ whole }: { readonly whole: Import }) {
  const { t } = useWords()
  const preview = useQuery(previewQuery(whole.Id, whole.Mapping))
  if (preview.error) return <Trouble error={preview.error} onRetry={() => void preview.refetch()} />
  if (!preview.data) return <PageLoading />
  if (preview.data.Rows.length === 0) return <Nothing>{t('imports.noRows')}</Nothing>
  return (
    <div className="grid-scroll" tabIndex={0} role="region" aria-label={t('imports.preview')}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('imports.row')}</Table.Th>
            {whole.Columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
            <Table.Th>{t('imports.becomes')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {preview.data.Rows.map((row) => (
            <PreviewRow key={row.Row} row={row} columns={whole.Columns} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

interface PreviewRowProps {
  readonly row: Preview['Rows'][number]
  readonly columns: readonly string[]
}

function PreviewRow({ row: { Row, Cells, Record, Errors }, columns }: PreviewRowProps) {
  return (
    <Table.Tr>
      <Table.Th scope="row" className="number" fw={500}>
        {Row}
      </Table.Th>
      {columns.map((column) => (
        <Table.Td key={column}>
          <span className="cell">{Cells[column]}</span>
        </Table.Td>
      ))}
      <Table.Td miw={240}>
        {Object.entries(Record ?? {}).map(([name, value]) => (
          <Text key={name} size="sm">
            <b>{spaced(name)}:</b> <PlainValue value={value} />
          </Text>
        ))}
        {Errors.map(({ Field, Message }) => (
          <Text key={`${Field} ${Message}`} size="sm" c="var(--mantine-color-error)">
            {Field && <b>{spaced(Field)}: </b>}
            {Message}
          </Text>
        ))}
      </Table.Td>
    </Table.Tr>
  )
}

function PlainValue({ value }: { readonly value: Json }) {
  const { language } = useWords()
  if (isMoney(value)) return moneyText(value, language)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
