/** Which columns are shown, and which lookups as full records in what is downloaded. */
import { Button, Checkbox, ScrollArea, Stack } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import { allFields } from '../../api/objects.ts'
import { spaced } from '../../shared/names.ts'
import { useWords } from '../../words/words.tsx'
import { ListMenu } from './list-menu.tsx'
import type { GridProps } from './grid-props.ts'

export function ColumnsMenu({
  object,
  columns,
  onSearch,
  search,
}: GridProps & { readonly columns: readonly string[] }) {
  const { t } = useWords()
  const names = allFields(object).map(({ Name }) => Name)
  const toggle = (name: string) => {
    const shown = names.filter((one) => (one === name) !== columns.includes(one))
    onSearch({ columns: shown.join(','), page: search.page })
  }
  return (
    <ListMenu title={t('records.columns')} icon={IconColumns3}>
      <ScrollArea.Autosize mah={360} type="auto">
        <Stack gap={6}>
          {names.map((name) => (
            <Checkbox
              key={name}
              size="xs"
              label={spaced(name)}
              checked={columns.includes(name)}
              // A table without a column shows nothing.
              disabled={columns.length === 1 && columns[0] === name}
              onChange={() => toggle(name)}
            />
          ))}
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => onSearch({ columns: undefined, page: search.page })}
          >
            {t('records.usualColumns')}
          </Button>
        </Stack>
      </ScrollArea.Autosize>
    </ListMenu>
  )
}
