/** What the list shows, all pages of it, as a file; or the whole table as the warehouse sends it. */
import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { fieldOf, mayDo } from '../../api/objects.ts'
import { request, urlOf } from '../../api/request.ts'
import type { Json, Record_ } from '../../api/records.ts'
import { csvOf, saveAs } from '../../shared/csv.ts'
import { done } from '../../shared/notify.ts'
import { Trouble } from '../../shared/trouble.tsx'
import { useWords } from '../../words/words.tsx'
import { isMoney, lookedUp } from '../values/value.tsx'
import type { GridProps } from './records-page.tsx'

const MOST_ROWS = 10_000
const PAGE = 100

export interface DownloadMenuProps extends GridProps {
  readonly total: number | undefined
  readonly columns: readonly string[]
}

export function DownloadMenu({ object, search, columns, total = 0 }: DownloadMenuProps) {
  const { t } = useWords()
  const table = `wh_${object.Application}_${object.Name}`
  const saving = useMutation({
    mutationFn: async () => {
      const rows: Record_[] = []
      const { filter, search: words, sort, asOf } = search
      for (let page = 1; rows.length < Math.min(total, MOST_ROWS); page++) {
        const query = { filter, search: words, sort, asOf, page, pageSize: PAGE }
        const { data } = await request<Record_[]>(object.Object, { query })
        if (data.length === 0) break
        rows.push(...data)
      }
      const cells = rows.map((record) =>
        columns.map((name) => plain(record[name], fieldOf(object, name)?.Type)),
      )
      saveAs(`${object.Object}.csv`, csvOf([columns, ...cells]))
      return rows.length
    },
    onSuccess: (rows) => done(t('download.done', { rows })),
  })
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            loading={saving.isPending}
            leftSection={<IconDownload size={14} aria-hidden />}
          >
            {t('download.title')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item disabled={total === 0 || total > MOST_ROWS} onClick={() => saving.mutate()}>
            {total > MOST_ROWS ? t('download.tooMany', { most: MOST_ROWS }) : t('download.shown')}
          </Menu.Item>
          {mayDo(object, 'export') && (
            <>
              <Menu.Divider />
              <Menu.Label>{t('download.whole')}</Menu.Label>
              {['csv', 'parquet', 'jsonl'].map((format) => (
                <Menu.Item
                  key={format}
                  component="a"
                  href={urlOf(`warehouse/${table}`, { format })}
                  download={`${table}.${format}`}
                >
                  {format === 'csv' ? 'CSV (Excel)' : format === 'jsonl' ? 'JSON Lines' : 'Parquet'}
                </Menu.Item>
              ))}
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {saving.error && <Trouble error={saving.error} />}
    </>
  )
}

/** Plain values for a spreadsheet: names for lookups, amounts with their currency. */
function plain(value: Json | undefined, type: string | undefined): string | number {
  if (value === null || value === undefined) return ''
  if (type === 'money' && isMoney(value)) return `${value.Amount} ${value.Currency}`
  if (type === 'lookup') return lookedUp(value)?.name ?? ''
  if (typeof value === 'number') return value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
