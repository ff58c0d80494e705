/** What other systems have sent that changed a record, and what was sent to them about it; the newest first. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { integrationsQuery, sentQuery, type SendingState } from '../../api/integrations.ts'
import { historyQuery } from '../../api/records.ts'
import { Go } from '../../app/go.tsx'
import type { Search } from '../../app/search.ts'
import { InboxStateBadge, SendingStateBadge } from '../../integrations/integration-state.tsx'
import { Rows } from '../../shared/listing.tsx'
import { PageLoading } from '../../shared/page.tsx'
import { Time } from '../../shared/times.tsx'
import { Trouble } from '../../shared/trouble.tsx'
import { useWords } from '../../words/words.tsx'

interface Exchange {
  readonly id: string
  readonly at: string
  readonly integration: string
  readonly event: string
  /** Undefined of what was received. */
  readonly sent: SendingState | undefined
  readonly why: string | null
  readonly search: Search
}

export interface RecordExchangesProps {
  readonly object: string
  readonly recordKey: string
  /** Whether the record's history may be seen, which says what was received. */
  readonly audits: boolean
}

export function RecordExchanges({ object, recordKey, audits }: RecordExchangesProps) {
  const { t } = useWords()
  const integrations = useQuery(integrationsQuery)
  const history = useQuery({ ...historyQuery(object, recordKey), enabled: audits })
  const asked = useQueries({
    queries: (integrations.data ?? []).map(({ Id }) => sentQuery(Id, { record: recordKey })),
  })
  const error = integrations.error ?? history.error ?? asked.find((one) => one.error)?.error
  if (error) return <Trouble error={error} onRetry={() => void integrations.refetch()} />
  if (!integrations.data || history.isLoading || asked.some((one) => one.isPending)) return <PageLoading />
  const received = (history.data ?? []).flatMap(({ Integration, Event, At, Version }): Exchange[] =>
    Integration?.Message
      ? [
          {
            id: `${Integration.Message} ${Version}`,
            at: At,
            integration: Integration.Id,
            event: Event,
            sent: undefined,
            why: null,
            search: { message: Integration.Message },
          },
        ]
      : [],
  )
  const sent = integrations.data.flatMap(({ Id: integration }, place) =>
    (asked[place]?.data?.sendings ?? []).map(({ Id, ModifiedAt, Event, State, Reason }): Exchange => ({
      id: Id,
      at: ModifiedAt,
      integration,
      event: Event,
      sent: State,
      why: Reason,
      search: { tab: 'sent' },
    })),
  )
  const nameOf = (key: string) => integrations.data.find(({ Id }) => Id === key)?.Name ?? key
  return (
    <Rows
      label={t('integrations.title')}
      rows={[...received, ...sent].sort((one, other) => other.at.localeCompare(one.at))}
      nothing={t('exchanges.nothing')}
      keyOf={({ id }) => id}
      columns={[
        {
          title: t('deliveries.event'),
          of: ({ integration, search, event }) => (
            <Go to={`/integrations/${integration}`} search={search} className="value-link">
              {event}
            </Go>
          ),
        },
        {
          title: t('exchanges.way'),
          of: ({ integration, sent: state }) =>
            t(state === undefined ? 'exchanges.from' : 'exchanges.to', { name: nameOf(integration) }),
        },
        {
          title: t('users.state'),
          of: ({ sent: state }) =>
            state === undefined ? <InboxStateBadge state="applied" /> : <SendingStateBadge state={state} />,
        },
        { title: t('integrations.why'), of: ({ why }) => <span className="cell">{why ?? '–'}</span> },
        { title: t('audit.at'), of: ({ at }) => <Time at={at} /> },
      ]}
    />
  )
}
