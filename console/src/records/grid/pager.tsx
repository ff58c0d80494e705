/** Which page of how many, and how many records a page has. */
import { Group, NativeSelect, Pagination as Pages, Text } from '@mantine/core'
import type { Pagination } from '../../api/request.ts'
import { useWords } from '../../words/words.tsx'
import type { GridProps } from './grid-props.ts'

export function Pager({ pagination, onSearch }: GridProps & { readonly pagination: Pagination }) {
  const { t, number } = useWords()
  const { Page, PageSize, TotalRecords, TotalPages } = pagination
  const first = TotalRecords === 0 ? 0 : (Page - 1) * PageSize + 1
  const last = Math.min(Page * PageSize, TotalRecords)
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" c="dimmed" role="status">
        {t('records.range', { first: number(first), last: number(last), total: number(TotalRecords) })}
      </Text>
      <Group gap="xs">
        <NativeSelect
          size="xs"
          aria-label={t('records.pageSize')}
          value={String(PageSize)}
          onChange={(event) => onSearch({ pageSize: event.currentTarget.value })}
          data={[...new Set(['25', '50', '100', String(PageSize)])]}
        />
        <Pages
          size="sm"
          total={TotalPages}
          value={Page}
          siblings={1}
          boundaries={1}
          onChange={(page) => onSearch({ page: page === 1 ? undefined : String(page) })}
          getItemProps={(page) => ({ 'aria-label': t('records.page', { page }) })}
          getControlProps={(control) => ({
            'aria-label': control === 'next' ? t('records.nextPage') : t('records.previousPage'),
          })}
        />
      </Group>
    </Group>
  )
}
