/** What happened to a record: who, when, why, and from what to what; compared with the version before, or with any. */
import { Anchor, Button, Group, NativeSelect, Stack, Table, Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldOf, type ObjectSeen } from '../../api/objects.ts'
import { historyQuery, type HistoryEntry, type Json } from '../../api/records.ts'
import { spaced } from '../../shared/names.ts'
import { PageLoading } from '../../shared/page.tsx'
import { Time } from '../../shared/times.tsx'
import { Trouble } from '../../shared/trouble.tsx'
import { useWords } from '../../words/words.tsx'
import { textOfValue } from '../values/value.tsx'

const SHOWN_FIRST = 50

export interface HistoryProps {
  readonly object: ObjectSeen
  readonly recordKey: string
  /** Shows the record as it was then. */
  readonly onAsOf: (version: string) => void
}

export function History({ object, recordKey, onAsOf }: HistoryProps) {
  const { t } = useWords()
  const history = useQuery(historyQuery(object.Object, recordKey))
  const [shown, setShown] = useState(SHOWN_FIRST)
  if (history.error) return <Trouble error={history.error} onRetry={() => void history.refetch()} />
  if (!history.data) return <PageLoading />
  const newestFirst = [...history.data].reverse()
  return (
    <Stack gap="md">
      {history.data.length > 2 && <Compare object={object} entries={history.data} />}
      <Timeline bulletSize={14} lineWidth={2} active={newestFirst.length} aria-label={t('history.title')}>
        {newestFirst.slice(0, shown).map((entry) => (
          <Timeline.Item key={entry.Version} title={<Happened entry={entry} />}>
            <Text size="xs" c="dimmed">
              {entry.By.Name} · <Time at={entry.At} /> ·{' '}
              <Anchor
                component="button"
                type="button"
                size="xs"
                onClick={() => onAsOf(String(entry.Version))}
              >
                {t('history.version', { version: entry.Version })}
              </Anchor>
            </Text>
            {entry.Reason && (
              <Text size="sm" fs="italic">
                “{entry.Reason}”
              </Text>
            )}
            <Changes
              object={object}
              changes={entry.Changes}
              label={t('history.version', { version: entry.Version })}
            />
          </Timeline.Item>
        ))}
      </Timeline>
      {newestFirst.length > shown && (
        <Button variant="default" onClick={() => setShown((now) => now + SHOWN_FIRST * 4)}>
          {t('history.more', { count: newestFirst.length - shown })}
        </Button>
      )}
    </Stack>
  )
}

/** `contract.workflow.approved` as `Approved`. */
function Happened({ entry: { Event } }: { readonly entry: HistoryEntry }) {
  const word = Event.split('.').at(-1) ?? Event
  return (
    <Text size="sm" fw={600} title={Event}>
      {spaced(word.charAt(0).toUpperCase() + word.slice(1))}
    </Text>
  )
}

type Changed = Readonly<Record<string, { readonly From: Json; readonly To: Json }>>

function Changes({
  object,
  changes,
  label,
}: {
  readonly object: ObjectSeen
  readonly changes: Changed
  readonly label: string
}) {
  const words = useWords()
  const names = Object.keys(changes)
  if (names.length === 0) return null
  const shown = (name: string, value: Json) => textOfValue(value, fieldOf(object, name), words)
  return (
    <Table withRowBorders={false} verticalSpacing={1} horizontalSpacing="xs" aria-label={label} w="auto">
      <Table.Tbody>
        {names.map((name) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={400} c="dimmed" miw={110}>
              {spaced(name)}
            </Table.Th>
            <Table.Td>
              {changes[name]!.From !== null && (
                <>
                  <span className="old-value">{shown(name, changes[name]!.From)}</span> →{' '}
                </>
              )}
              {shown(name, changes[name]!.To)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** What is different between any two versions. */
function Compare({
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
