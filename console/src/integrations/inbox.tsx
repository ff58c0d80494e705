/** What an integration has received: in which states, refused for which reasons, each message with its payload. */
import { Alert, Button, Group, Modal, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import {
  INBOX_STATES,
  inboxCountsQuery,
  inboxQuery,
  markMessage,
  type InboxMessage,
} from '../api/integrations.ts'
import { Go } from '../app/go.tsx'
import type { Search } from '../app/search.ts'
import { ChooseState } from '../shared/choose-state.tsx'
import { Listing } from '../shared/listing.tsx'
import { done } from '../shared/notify.ts'
import { TurnPages } from '../shared/pages.tsx'
import { Time } from '../shared/times.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { InboxMessageDetails } from './inbox-message.tsx'
import { InboxStateBadge } from './integration-state.tsx'
import { ReplayInbox } from './replay-inbox.tsx'

export interface InboxProps {
  readonly integration: string
  readonly search: Search
  readonly onShow: (search: Search) => void
}

export function Inbox({ integration, search, onShow }: InboxProps) {
  const { t, number } = useWords()
  const [replaying, setReplaying] = useState(false)
  const state = INBOX_STATES.find((one) => one === search.state)
  const { page, message } = search
  const inbox = useQuery(inboxQuery(integration, state, page))
  const counts = useQuery(inboxCountsQuery(integration)).data
  const close = () => onShow({ message: undefined })
  return (
    <>
      <Group gap="xs" align="flex-end" mb="xs">
        <ChooseState
          label={t('users.state')}
          states={INBOX_STATES}
          textOf={(one) => `${t(`inboxState.${one}`)} (${number(counts?.get(one) ?? 0)})`}
          value={state}
          onChoose={(next) => onShow({ state: next, page: undefined })}
        />
        <Button size="xs" variant="default" onClick={() => setReplaying(true)}>
          {t('inbox.replay')}
        </Button>
      </Group>
      {(counts?.get('rejected') ?? 0) > 0 && <RefusedByReason integration={integration} />}
      <Listing
        label={t('integrationTab.inbox')}
        query={{ ...inbox, data: inbox.data?.messages } as UseQueryResult<readonly InboxMessage[]>}
        nothing={t(state ? 'inbox.noneSuch' : 'inbox.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          {
            title: t('inbox.source'),
            of: ({ Id, Source }) => (
              <Go
                to={`/integrations/${integration}`}
                search={{ ...search, message: Id }}
                className="value-link cell"
              >
                {Source}
              </Go>
            ),
          },
          { title: t('users.state'), of: ({ State }) => <InboxStateBadge state={State} /> },
          { title: t('integrations.why'), of: ({ Reason }) => <span className="cell">{Reason ?? '–'}</span> },
          { title: t('inbox.entry'), of: ({ Entry }) => Entry },
          { title: t('inbox.received'), of: ({ ReceivedAt }) => <Time at={ReceivedAt} /> },
          { title: t('inbox.arrivals'), of: ({ Arrivals }) => number(Arrivals), isNumber: true },
          { title: t('deliveries.next'), of: ({ NextAttemptAt }) => <Time at={NextAttemptAt} /> },
        ]}
      />
      <TurnPages pagination={inbox.data?.pagination} onPage={(next) => onShow({ page: next })} />
      <Modal
        size="xl"
        opened={message !== undefined}
        onClose={close}
        title={t('inbox.message')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {message !== undefined && <InboxMessageDetails integration={integration} message={message} />}
      </Modal>
      <Modal
        opened={replaying}
        onClose={() => setReplaying(false)}
        title={t('inbox.replay')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <ReplayInbox integration={integration} onDone={() => setReplaying(false)} />
      </Modal>
    </>
  )
}

const MOST = 100

/** The refused messages by their reasons: what is corrected once helps all of one reason. */
function RefusedByReason({ integration }: { readonly integration: string }) {
  const { t, number } = useWords()
  const queries = useQueryClient()
  const refused = useQuery(inboxQuery(integration, 'rejected', undefined, MOST))
  const again = useMutation({
    mutationFn: async (messages: readonly InboxMessage[]) => {
      for (const { Id } of messages) await markMessage(integration, Id, 'retry')
    },
    onSuccess: () => done(t('inbox.again')),
    onSettled: () => queries.invalidateQueries({ queryKey: ['inbox', integration] }),
  })
  if (!refused.data) return null
  const byReason = Map.groupBy(refused.data.messages, ({ Reason }) => Reason ?? '–')
  return (
    <Alert color="red" variant="light" mb="xs" title={t('inbox.refused')}>
      {[...byReason].map(([reason, messages]) => (
        <Group key={reason} justify="space-between" gap="xs" mb={4}>
          <Text size="sm" flex="1 1 14rem">
            {number(messages.length)} × {reason}
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            loading={again.isPending && again.variables === messages}
            onClick={() => again.mutate(messages)}
          >
            {t('inbox.retryAll', { count: number(messages.length) })}
          </Button>
        </Group>
      ))}
      {refused.data.pagination.TotalRecords > MOST && (
        <Text size="xs">{t('inbox.latestOnly', { count: number(MOST) })}</Text>
      )}
      {again.error && <Trouble error={again.error} />}
    </Alert>
  )
}
