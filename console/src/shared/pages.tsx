/** Which page of how many; nothing where there is one. */
import { Pagination as Pages } from '@mantine/core'
import type { Pagination } from '../api/request.ts'
import { useWords } from '../words/words.tsx'

export interface TurnPagesProps {
  readonly pagination: Pagination | undefined
  readonly onPage: (page: string | undefined) => void
}

export function TurnPages({ pagination, onPage }: TurnPagesProps) {
  const { t } = useWords()
  if (!pagination || pagination.TotalPages < 2) return null
  return (
    <Pages
      size="sm"
      total={pagination.TotalPages}
      value={pagination.Page}
      siblings={1}
      boundaries={1}
      onChange={(page) => onPage(page === 1 ? undefined : String(page))}
      getItemProps={(page) => ({ 'aria-label': t('records.page', { page }) })}
      getControlProps={(control) => ({
        'aria-label': control === 'next' ? t('records.nextPage') : t('records.previousPage'),
      })}
    />
  )
}
