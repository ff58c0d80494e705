/** Which columns are shown; those of looked-up records, too. */
import { Button, Checkbox, ScrollArea, Stack } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import { Fragment } from 'react'
import { allFields } from '../../api/objects.ts'
import { spacedPath } from '../../shared/names.ts'
import { useWords } from '../../words/words.tsx'
import { ListMenu } from './list-menu.tsx'
import { targetOf, type GridProps } from './grid-props.ts'

export function ColumnsMenu({
  object,
  seen,
  columns,
  onSearch,
  search,
}: GridProps & { readonly columns: readonly string[] }) {
  const { t } = useWords()
  const fields = allFields(object).map((field) => {
    const target = targetOf(seen, field)
    const more = target ? allFields(target).map(({ Name }) => `${field.Name}/${Name}`) : []
    return { name: field.Name, more }
  })
  const names = fields.flatMap(({ name, more }) => [name, ...more])
  const toggle = (name: string) => {
    const shown = names.filter((one) => (one === name) !== columns.includes(one))
    onSearch({ columns: shown.join(','), page: search.page })
  }
  const check = (name: string) => (
    <Checkbox
      key={name}
      size="xs"
      label={spacedPath(name)}
      checked={columns.includes(name)}
      // A table without a column shows nothing.
      disabled={columns.length === 1 && columns[0] === name}
      onChange={() => toggle(name)}
    />
  )
  return (
    <ListMenu title={t('records.columns')} icon={IconColumns3}>
      <ScrollArea.Autosize mah={360} type="auto">
        <Stack gap={6}>
          {fields.map(({ name, more }) => (
            <Fragment key={name}>
              {check(name)}
              {more.length > 0 && (
                <details open={more.some((one) => columns.includes(one))}>
                  <summary className="more-columns">
                    {t('records.columnsOf', { field: spacedPath(name) })}
                  </summary>
                  <Stack gap={6} pl="md" pt={6}>
                    {more.map(check)}
                  </Stack>
                </details>
              )}
            </Fragment>
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
