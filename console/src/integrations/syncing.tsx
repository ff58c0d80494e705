/** How far what is asked of the other system has come, and full syncs. */
import { Alert, Button, Group, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  askFullSync,
  fullSyncQuery,
  isUnderWay,
  pollsQuery,
  type FullSync,
  type Poll,
} from '../api/integration-syncs.ts'
import type { Integration } from '../api/integrations.ts'
import { Confirm } from '../shared/confirm.tsx'
import { Listing } from '../shared/listing.tsx'
import { done } from '../shared/notify.ts'
import { Time } from '../shared/times.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

export function Syncing({ integration }: { readonly integration: Integration }) {
  const { t, number } = useWords()
  const { Id: key, State } = integration
  const polls = useQuery(pollsQuery(key))
  return (
    <>
      <Listing<Poll>
        label={t('polls.title')}
        query={polls}
        nothing={t('polls.nothing')}
        keyOf={({ Entry }) => Entry}
        columns={[
          { title: t('inbox.entry'), of: ({ Entry }) => Entry },
          { title: t('polls.every'), of: ({ EverySeconds }) => number(EverySeconds / 60), isNumber: true },
          { title: t('polls.last'), of: ({ LastRunAt }) => <Time at={LastRunAt} /> },
          { title: t('polls.next'), of: ({ NextRunAt }) => <Time at={NextRunAt} /> },
          { title: t('polls.checkpoint'), of: ({ Checkpoint }) => <Time at={Checkpoint} /> },
          { title: t('polls.failing'), of: ({ FailingSince }) => <Time at={FailingSince} /> },
          { title: t('integrations.why'), of: ({ Reason }) => <span className="cell">{Reason ?? '–'}</span> },
        ]}
      />
      <Title order={2} size="h3" mt="md" mb="xs">
        {t('fullSync.title')}
      </Title>
      <FullSyncState integration={key} mayAsk={State === 'running' || State === 'failing'} />
    </>
  )
}

interface FullSyncStateProps {
  readonly integration: string
  /** Whether it is taking and sending. */
  readonly mayAsk: boolean
}

function FullSyncState({ integration, mayAsk }: FullSyncStateProps) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [asked, setAsked] = useState(false)
  const sync = useQuery(fullSyncQuery(integration))
  if (sync.error) return <Trouble error={sync.error} onRetry={() => void sync.refetch()} />
  if (sync.data === undefined) return null
  return (
    <>
      {sync.data ? <Progress sync={sync.data} /> : <Text size="sm">{t('fullSync.never')}</Text>}
      {!mayAsk && (
        <Text size="sm" c="dimmed">
          {t('fullSync.startFirst')}
        </Text>
      )}
      <Button
        mt="xs"
        variant="default"
        disabled={!mayAsk || (sync.data !== null && isUnderWay(sync.data))}
        onClick={() => setAsked(true)}
      >
        {t('fullSync.ask')}
      </Button>
      <Confirm
        opened={asked}
        isDangerous={false}
        title={t('fullSync.ask')}
        text={t('fullSync.text')}
        action={t('fullSync.begin')}
        run={async () => {
          await askFullSync(integration)
          done(t('fullSync.asked'))
          await queries.invalidateQueries({ queryKey: ['full-sync', integration] })
        }}
        onClose={() => setAsked(false)}
      />
    </>
  )
}

function Progress({ sync }: { readonly sync: FullSync }) {
  const { t, number } = useWords()
  const { State, AskedAt, FinishedAt, Read, Queued, Reason } = sync
  return (
    <>
      <Group gap="md">
        <Text size="sm" fw={600}>
          {t(`fullSyncState.${State}`)}
        </Text>
        <Text size="sm">{t('fullSync.counts', { read: number(Read), queued: number(Queued) })}</Text>
        <Text size="sm" c="dimmed">
          <Time at={AskedAt} /> – <Time at={FinishedAt} />
        </Text>
      </Group>
      {Reason && (
        <Alert color="yellow" variant="light" mt="xs">
          {Reason}
        </Alert>
      )}
    </>
  )
}
