/** What happened to a record and about it: who, when, why, from what to what; what was sent stands between the changes. */
import { Anchor, Badge, Button, Group, Stack, Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ObjectSeen } from '../../api/objects.ts'
import { historyQuery, type HistoryEntry } from '../../api/records.ts'
import { Go } from '../../app/go.tsx'
import { spaced } from '../../shared/names.ts'
import { PageLoading } from '../../shared/page.tsx'
import { Time } from '../../shared/times.tsx'
import { Trouble } from '../../shared/trouble.tsx'
import { useWords } from '../../words/words.tsx'
import { Changes } from './changes.tsx'
import { Compare } from './compare.tsx'
import type { Others } from './others.ts'
import { useWhatWasSent, type WasSent } from './what-was-sent.ts'

const SHOWN_FIRST = 50

export interface HistoryProps {
  readonly object: ObjectSeen
  readonly recordKey: string
  readonly others: Others
  /** Shows the record as it was then. */
  readonly onAsOf: (version: string) => void
}

export function History({ object, recordKey, others, onAsOf }: HistoryProps) {
  const { t } = useWords()
  const history = useQuery(historyQuery(object.Object, recordKey))
  const { sent, error } = useWhatWasSent(object.Object, recordKey, others)
  const [shown, setShown] = useState(SHOWN_FIRST)
  if (history.error) return <Trouble error={history.error} onRetry={() => void history.refetch()} />
  if (!history.data) return <PageLoading />
  const newestFirst = inOrder(history.data, sent).reverse()
  return (
    <Stack gap="md">
      {history.data.length > 2 && <Compare object={object} entries={history.data} />}
      {error && <Trouble error={error} />}
      <Timeline bulletSize={14} lineWidth={2} active={newestFirst.length} aria-label={t('history.title')}>
        {newestFirst.slice(0, shown).map((one) =>
          'Version' in one ? (
            <Timeline.Item key={one.Version} title={<Happened entry={one} />}>
              <WhoAndWhen entry={one} onAsOf={onAsOf} canOpen={others.integrations} />
              {one.Reason && (
                <Text size="sm" fs="italic">
                  “{one.Reason}”
                </Text>
              )}
              <Changes
                object={object}
                changes={one.Changes}
                label={t('history.version', { version: one.Version })}
              />
            </Timeline.Item>
          ) : (
            <Timeline.Item key={one.id} color="gray" title={<Sent what={one} />}>
              <Text size="xs" c="dimmed">
                <Time at={one.at} />
                {one.why !== null && ` · ${one.why}`}
              </Text>
            </Timeline.Item>
          ),
        )}
      </Timeline>
      {newestFirst.length > shown && (
        <Button variant="default" onClick={() => setShown((now) => now + SHOWN_FIRST * 4)}>
          {t('history.more', { count: newestFirst.length - shown })}
        </Button>
      )}
    </Stack>
  )
}

/** The oldest first; what was sent in the second of a change comes after it. */
function inOrder(entries: readonly HistoryEntry[], sent: readonly WasSent[]): (HistoryEntry | WasSent)[] {
  const all = [...entries, ...sent]
  const at = (one: HistoryEntry | WasSent) => Date.parse('Version' in one ? one.At : one.at)
  return all.sort((one, other) => at(one) - at(other))
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

interface WhoAndWhenProps {
  readonly entry: HistoryEntry
  readonly onAsOf: (version: string) => void
  /** Whether messages of integrations may be looked at. */
  readonly canOpen: boolean
}

function WhoAndWhen({ entry: { By, At, Version, Integration, Import }, onAsOf, canOpen }: WhoAndWhenProps) {
  const { t } = useWords()
  return (
    <Text size="xs" c="dimmed">
      {By.Name} · <Time at={At} /> ·{' '}
      <Anchor component="button" type="button" size="xs" onClick={() => onAsOf(String(Version))}>
        {t('history.version', { version: Version })}
      </Anchor>
      {Import && (
        <>
          {' · '}
          <Anchor component={Go} to={`/imports/${Import.Id}`} inherit underline="always">
            {t('history.row', { row: Import.Row })}
          </Anchor>
        </>
      )}
      {Integration?.Message && canOpen && (
        <>
          {' · '}
          <Anchor
            component={Go}
            to={`/integrations/${Integration.Id}`}
            search={{ message: Integration.Message }}
            inherit
            underline="always"
          >
            {t('history.received')}
          </Anchor>
        </>
      )}
    </Text>
  )
}

function Sent({ what }: { readonly what: WasSent }) {
  const { t } = useWords()
  return (
    <Group gap={6} component="span" fz="sm" fw={500}>
      <Badge size="sm" variant="light" color={what.isTrouble ? 'red' : 'gray'} className="state">
        {t(`sentAs.${what.kind}`)}
      </Badge>
      <Go to={what.to} {...(what.search && { search: what.search })} className="value-link cell">
        {what.title}
      </Go>
      <Text size="sm" span c={what.isTrouble ? 'red.9' : 'dimmed'}>
        {t(what.state)}
      </Text>
    </Group>
  )
}
