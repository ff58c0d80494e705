/** A message that was received: its bytes, what it led to, and to apply it again or set it aside. */
import { Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { markMessage, messageQuery } from '../api/integrations.ts'
import { done } from '../shared/notify.ts'
import { PageLoading } from '../shared/page.tsx'
import { pretty } from '../shared/pretty.ts'
import { Time } from '../shared/times.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { InboxStateBadge } from './integration-state.tsx'
import { Results } from './results.tsx'

export interface InboxMessageProps {
  readonly integration: string
  readonly message: string
}

export function InboxMessageDetails({ integration, message }: InboxMessageProps) {
  const { t } = useWords()
  const queries = useQueryClient()
  const loaded = useQuery(messageQuery(integration, message))
  const marking = useMutation({
    mutationFn: (how: 'retry' | 'quarantine') => markMessage(integration, message, how),
    onSuccess: async (_, how) => {
      done(t(how === 'retry' ? 'inbox.again' : 'inbox.aside'))
      await queries.invalidateQueries({ queryKey: ['inbox', integration] })
    },
  })
  if (loaded.error) return <Trouble error={loaded.error} />
  if (!loaded.data) return <PageLoading />
  const { Source, State, Reason, ReceivedAt, Payload, Results: results } = loaded.data
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <div>
          <Text fw={600}>{Source}</Text>
          <Text size="sm" c="dimmed">
            <Time at={ReceivedAt} /> <InboxStateBadge state={State} />
          </Text>
        </div>
        <Group gap="xs">
          <Button loading={marking.isPending} onClick={() => marking.mutate('retry')}>
            {t('inbox.retry')}
          </Button>
          {State !== 'quarantined' && State !== 'applied' && (
            <Button
              variant="default"
              loading={marking.isPending}
              onClick={() => marking.mutate('quarantine')}
            >
              {t('inbox.quarantine')}
            </Button>
          )}
        </Group>
      </Group>
      {marking.error && <Trouble error={marking.error} />}
      {Reason && <Text size="sm">{Reason}</Text>}
      <Title order={3}>{t('inbox.results')}</Title>
      <Results results={results} nothing={t('inbox.noResults')} />
      <Title order={3}>{t('inbox.payload')}</Title>
      <Code block tabIndex={0} role="region" aria-label={t('inbox.payload')} className="long-code">
        {pretty(Payload)}
      </Code>
    </Stack>
  )
}
