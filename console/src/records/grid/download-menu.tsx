/** What the list shows, all pages of it, as a file; or the whole table as the warehouse sends it. */
import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { mayDo } from '../../api/objects.ts'
import { urlOf } from '../../api/request.ts'
import { useWords } from '../../words/words.tsx'
import type { GridProps } from './grid-props.ts'

/** As the service has it. */
const MOST_ROWS = 100_000
const SHOWN = { xlsx: 'Excel', csv: 'CSV' } as const
const WHOLE = { csv: 'CSV', parquet: 'Parquet', jsonl: 'JSON Lines' } as const

export interface DownloadMenuProps extends GridProps {
  readonly total: number | undefined
  readonly columns: readonly string[]
}

export function DownloadMenu({ object, search, columns, total = 0 }: DownloadMenuProps) {
  const { t, number } = useWords()
  const table = `wh_${object.Application}_${object.Name}`
  const { filter, search: words, sort, asOf } = search
  // Of one moment where that may be asked for.
  const moment = asOf ?? (mayDo(object, 'audit') ? 'now' : undefined)
  // Files have the fields of the records alone.
  const fields = columns.filter((name) => !name.includes('/'))
  const asked = { filter, search: words, sort, asOf: moment, fields: fields.join(',') }
  const hindrance = !mayDo(object, 'export')
    ? t('download.notYours')
    : total > MOST_ROWS
      ? t('download.tooMany', { most: number(MOST_ROWS) })
      : undefined
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconDownload size={14} aria-hidden />}>
          {t('download.title')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {hindrance !== undefined && <Menu.Item disabled>{hindrance}</Menu.Item>}
        {hindrance === undefined &&
          Object.entries(SHOWN).map(([format, label]) => (
            <Menu.Item
              key={format}
              component="a"
              href={urlOf(`${object.Object}/export`, { format, ...asked })}
              download={`${object.Object}.${format}`}
            >
              {t('download.shown', { format: label })}
            </Menu.Item>
          ))}
        {mayDo(object, 'export') && (
          <>
            <Menu.Divider />
            <Menu.Label>{t('download.whole')}</Menu.Label>
            {Object.entries(WHOLE).map(([format, label]) => (
              <Menu.Item
                key={format}
                component="a"
                href={urlOf(`warehouse/${table}`, { format })}
                download={`${table}.${format}`}
              >
                {label}
              </Menu.Item>
            ))}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
