/** A record that is looked up: found by words, by its name, or by its Key. */
import { Loader, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSeen } from '../../api/objects.ts'
import { request } from '../../api/request.ts'
import type { Json, Record_ } from '../../api/records.ts'
import { useWords } from '../../words/words.tsx'
import { lookedUp, textOfValue } from './value.tsx'

const MOST = 20

export interface LookupInputProps {
  readonly label: string
  readonly description: string | undefined
  readonly required: boolean
  readonly error: string | undefined
  readonly target: string
  readonly value: Json | undefined
  readonly onValue: (value: Json) => void
}

export function LookupInput({ target, value, onValue, ...rest }: LookupInputProps) {
  const spoken = useWords()
  const { t } = spoken
  const object = useSeen()?.Objects.find((one) => one.Object === target)
  const [words, setWords] = useState('')
  const [asked] = useDebouncedValue(words.trim(), 200)
  const given = lookedUp(value)
  const key = typeof value === 'string' ? value : given?.key
  const display = object?.Display ?? 'Id'
  const isName = given !== undefined && given.name === words
  const found = useQuery({
    queryKey: ['lookup', target, isName ? '' : asked],
    queryFn: async () => {
      const search = !isName && /[\p{L}\p{N}]/u.test(asked) ? asked : undefined
      const query = { search, pageSize: MOST, fields: `Id,${display}`, sort: display }
      return (await request<Record_[]>(target, { query })).data
    },
    enabled: object !== undefined,
  })
  const options = new Map(
    (found.data ?? []).map((record) => [
      record.Id,
      textOfValue(record[display] ?? record.Id, undefined, spoken),
    ]),
  )
  if (given) options.set(given.key, given.name)
  else if (key !== undefined && !options.has(key)) options.set(key, key)
  return (
    <Select
      {...rest}
      searchable
      clearable
      // The service has found them already, by words and not by letters.
      filter={({ options: all }) => all}
      data={[...options].map(([one, label]) => ({ value: one, label }))}
      value={key ?? null}
      onChange={(next) => onValue(next === null ? null : { Id: next, [display]: options.get(next) ?? next })}
      searchValue={words}
      onSearchChange={setWords}
      rightSection={found.isFetching ? <Loader size="xs" aria-hidden /> : undefined}
      nothingFoundMessage={object ? t('lookup.nothing') : t('lookup.notYours')}
      clearButtonProps={{ 'aria-label': t('lookup.clear', { field: rest.label }) }}
    />
  )
}
