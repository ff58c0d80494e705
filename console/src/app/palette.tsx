/** The command palette (Ctrl-K): pages by name, records by Key, number or words. */
import { Modal, VisuallyHidden } from '@mantine/core'
import { Spotlight, spotlight } from '@mantine/spotlight'
import { IconFile, IconSearch, IconTable } from '@tabler/icons-react'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSeen, type ObjectSeen } from '../api/objects.ts'
import { request } from '../api/request.ts'
import { spaced } from '../shared/names.ts'
import { useWords } from '../words/words.tsx'
import { useGo } from './go.tsx'
import { sectionsOf } from './places.tsx'

const LEAST = 2
const MOST_OF_EACH = 4
const KEY = /^([a-z][a-z0-9]*)-[0-9a-z]{26}$/

interface Found {
  readonly object: ObjectSeen
  readonly record: Readonly<Record<string, unknown>>
}

export function Palette() {
  const { t } = useWords()
  const go = useGo()
  const seen = useSeen()
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 200)
  const found = useQuery({
    queryKey: ['palette', asked],
    queryFn: () => findRecords(seen?.Objects ?? [], asked),
    enabled: seen !== undefined && asked.length >= LEAST,
  })
  const wanted = text.trim().toLowerCase()
  const matches = (label: string) => label.toLowerCase().includes(wanted)
  const places = seen ? sectionsOf(seen).flatMap(({ places: some }) => some) : []
  const pages = [
    ...places.map(({ to, label, icon: Icon }) => ({
      to,
      label: t(label),
      icon: <Icon size={18} aria-hidden />,
    })),
    ...(seen?.Objects ?? []).map(({ Object, Name }) => ({
      to: `/records/${Object}`,
      label: spaced(Name),
      icon: <IconTable size={18} aria-hidden />,
    })),
  ].filter(({ label }) => matches(label))
  const key = KEY.exec(wanted)
  const goTo = (to: string) => () => {
    go(to)
    spotlight.close()
  }
  const records = wanted.length >= LEAST ? (found.data ?? []) : []
  const isEmpty = pages.length === 0 && records.length === 0 && !key
  return (
    <Spotlight.Root query={text} onQueryChange={setText} shortcut={['mod + K']} clearQueryOnClose scrollable>
      <VisuallyHidden>
        <Modal.Title>{t('palette.open')}</Modal.Title>
      </VisuallyHidden>
      <Spotlight.Search
        placeholder={t('palette.placeholder')}
        aria-label={t('palette.placeholder')}
        leftSection={<IconSearch size={18} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {key && (
          <Spotlight.Action
            label={t('palette.openKey', { key: wanted })}
            leftSection={<IconFile size={18} aria-hidden />}
            onClick={goTo(`/records/${key[1]}/${wanted}`)}
          />
        )}
        {records.length > 0 && (
          <Spotlight.ActionsGroup label={t('palette.records')}>
            {records.map(({ object, record }) => (
              <Spotlight.Action
                key={String(record['Id'])}
                label={String(record[object.Display] ?? record['Id'])}
                description={spaced(object.Name)}
                leftSection={<IconFile size={18} aria-hidden />}
                onClick={goTo(`/records/${object.Object}/${String(record['Id'])}`)}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label={t('palette.pages')}>
            {pages.map(({ to, label, icon }) => (
              <Spotlight.Action key={to} label={label} leftSection={icon} onClick={goTo(to)} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {isEmpty && (
          <Spotlight.Empty>{found.isFetching ? t('loading') : t('palette.nothing')}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

/** Records of every object whose searchable fields have the words. An object that cannot be searched has none. */
async function findRecords(objects: readonly ObjectSeen[], search: string): Promise<readonly Found[]> {
  const searched = objects.filter(({ Fields }) => Fields.some(({ Searchable }) => Searchable))
  const lists = await Promise.all(
    searched.map(async (object) => {
      const query = { search, pageSize: MOST_OF_EACH, fields: `Id,${object.Display}` }
      const answer = await request<Found['record'][]>(object.Object, { query }).catch(() => undefined)
      return (answer?.data ?? []).map((record) => ({ object, record }))
    }),
  )
  return lists.flat().slice(0, 12)
}
