/** The records of an object: what is shown, in which order, is in the address and nowhere else. */
import { Button, Group, Badge, CloseButton, Alert } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Go, useGo, usePathNames } from '../../app/go.tsx'
import type { Search } from '../../app/search.ts'
import { allFields, mayDo, objectsQuery } from '../../api/objects.ts'
import { listQuery } from '../../api/records.ts'
import { spaced } from '../../shared/names.ts'
import { Page, PageLoading } from '../../shared/page.tsx'
import { Trouble } from '../../shared/trouble.tsx'
import { WordsInput } from '../../shared/words-input.tsx'
import { useWords } from '../../words/words.tsx'
import { NotThere } from '../../app/not-there.tsx'
import { conditionsOf, namesIn } from '../filter/text.ts'
import { AsOfMenu } from './as-of-menu.tsx'
import { ColumnsMenu } from './columns-menu.tsx'
import { DownloadMenu } from './download-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { columnOf, columnsOf, expandOf, type GridProps } from './grid-props.ts'
import { RecordTable } from './record-table.tsx'
import { Pager } from './pager.tsx'

/** What a list takes in the address. */
const KNOWN = ['filter', 'search', 'sort', 'columns', 'expand', 'page', 'pageSize', 'asOf']

export function RecordsPage() {
  const { object: name } = usePathNames()
  const seen = useQuery(objectsQuery)
  if (seen.error) return <Trouble error={seen.error} onRetry={() => void seen.refetch()} />
  if (!seen.data) return <PageLoading />
  const object = seen.data.Objects.find(({ Object }) => Object === name)
  // A page of its own for each object: nothing of the one before is left in it.
  return object ? <Records key={object.Object} object={object} seen={seen.data} /> : <NotThere />
}

function Records({ object, seen }: Pick<GridProps, 'object' | 'seen'>) {
  const { t } = useWords()
  const go = useGo()
  const all: Search = useSearch({ strict: false })
  const search = Object.fromEntries(
    Object.entries(all).filter(([name]) => KNOWN.includes(name)),
  ) as GridProps['search']
  const onSearch = (change: Search) =>
    go(`/records/${object.Object}`, { search: { ...all, page: undefined, ...change }, replace: true })
  const grid = { object, seen, search, onSearch }
  const strangers = strangersIn(grid)
  const unknown = Object.keys(all).filter((name) => !KNOWN.includes(name) && name !== 'company')
  const blocked = strangers.length > 0 || unknown.length > 0
  const list = useQuery({
    ...listQuery(object.Object, { ...search, expand: expandOf(grid) }),
    enabled: !blocked,
  })
  return (
    <Page
      title={spaced(object.Name)}
      text={object.Description}
      actions={
        mayDo(object, 'create') && (
          <Button
            component={Go}
            to={`/records/${object.Object}/new`}
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            {t('records.new')}
          </Button>
        )
      }
    >
      <Group gap="xs">
        <WordsInput words={grid.search.search} onWords={(search) => onSearch({ search })} />
        <ColumnsMenu {...grid} columns={columnsOf(grid)} />
        {mayDo(object, 'audit') && <AsOfMenu {...grid} />}
        <DownloadMenu {...grid} total={list.data?.pagination.TotalRecords} columns={columnsOf(grid)} />
      </Group>
      <FilterBar {...grid} />
      {blocked && (
        <Alert color="yellow" variant="light" role="alert" title={t('records.unknown')}>
          <Group gap="xs">
            {strangers.map(({ what, without }) => (
              <Stranger key={what} what={what} onRemove={() => onSearch(without)} />
            ))}
            {unknown.map((name) => (
              <Stranger
                key={name}
                what={`${name}=${all[name] ?? ''}`}
                onRemove={() => onSearch({ [name]: undefined })}
              />
            ))}
          </Group>
        </Alert>
      )}
      {!blocked && list.error && <Trouble error={list.error} onRetry={() => void list.refetch()} />}
      {!blocked && list.isPending && <PageLoading />}
      {!blocked && list.data && (
        <>
          <RecordTable
            {...grid}
            columns={columnsOf(grid)}
            records={list.data.records}
            busy={list.isPlaceholderData}
          />
          <Pager {...grid} pagination={list.data.pagination} />
        </>
      )}
    </Page>
  )
}

function Stranger({ what, onRemove }: { readonly what: string; readonly onRemove: () => void }) {
  const { t } = useWords()
  return (
    <Badge
      size="lg"
      variant="default"
      rightSection={<CloseButton size="xs" aria-label={t('records.remove', { what })} onClick={onRemove} />}
    >
      {what}
    </Badge>
  )
}

/** What the address names that the object does not have: a filter of it would be refused, and must be removable. */
function strangersIn({ object, seen, search }: GridProps) {
  const names = new Set(allFields(object).map(({ Name }) => Name))
  const isStrange = (name: string) => !names.has(name.replace(/^-/, '').split('/')[0] ?? '')
  const conditions = conditionsOf(search.filter ?? '')
  const list = (which: 'sort' | 'columns' | 'expand') =>
    (search[which] ?? '')
      .split(',')
      .filter((name) => name !== '')
      .filter((name) => (which === 'columns' ? !columnOf({ object, seen }, name) : isStrange(name)))
      .map((name) => ({
        what: `${which}: ${name}`,
        without: {
          [which]:
            search[which]
              ?.split(',')
              .filter((one) => one !== name)
              .join(',') || undefined,
        },
      }))
  return [
    ...conditions
      .filter((condition) => namesIn(condition).some(isStrange))
      .map((what) => ({
        what,
        without: { filter: conditions.filter((one) => one !== what).join(' and ') || undefined },
      })),
    ...list('sort'),
    ...list('columns'),
    ...list('expand'),
  ]
}
