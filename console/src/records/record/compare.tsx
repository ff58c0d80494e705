/** Any two versions of a record, side by side. */
import { Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ObjectSeen } from '../../api/objects.ts'
import type { HistoryEntry, Json } from '../../api/records.ts'
import { useWords } from '../../words/words.tsx'
import { Changes, type Changed } from './changes.tsx'

/** What is different between any two versions. */
export function Compare({
  object,
  entries,
}: {
  readonly object: ObjectSeen
  readonly entries: readonly HistoryEntry[]
}) {
  const { t } = useWords()
  const last = entries.at(-1)!.Version
  const [from, setFrom] = useState('')
  const [to, setTo] = useState(String(last))
  const versions = entries.map(({ Version }) => String(Version))
  const changes = from === '' ? undefined : between(entries, Number(from), Number(to))
  return (
    <Stack gap={6}>
      <Group gap="xs" align="flex-end">
        <NativeSelect
          size="xs"
          label={t('history.compareFrom')}
          data={[{ value: '', label: '–' }, ...versions]}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <NativeSelect
          size="xs"
          label={t('history.compareTo')}
          data={versions}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
      </Group>
      {changes && Object.keys(changes).length === 0 && <Text size="sm">{t('history.same')}</Text>}
      {changes && <Changes object={object} changes={changes} label={t('history.compareTo')} />}
    </Stack>
  )
}

/** What every change after `one` up to `other` comes to; in the other direction, when `other` is the earlier one. */
function between(entries: readonly HistoryEntry[], one: number, other: number): Changed {
  const [from, to] = one <= other ? [one, other] : [other, one]
  const all: Record<string, { From: Json; To: Json }> = {}
  for (const { Version, Changes: changes } of entries) {
    if (Version <= from || Version > to) continue
    for (const [name, { From, To }] of Object.entries(changes))
      all[name] = { From: all[name]?.From ?? From, To }
  }
  const differing = Object.entries(all).filter(
    ([, { From, To }]) => JSON.stringify(From) !== JSON.stringify(To),
  )
  return Object.fromEntries(
    differing.map(([name, { From, To }]) => [name, one <= other ? { From, To } : { From: To, To: From }]),
  )
}
