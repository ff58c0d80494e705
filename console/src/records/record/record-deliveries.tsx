/** What was sent to webhooks about a record, the newest first. */
import { Text } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { deliveriesAboutQuery, webhooksQuery, type Delivery, type Webhook } from '../../api/webhooks.ts'
import { Go } from '../../app/go.tsx'
import { Rows } from '../../shared/listing.tsx'
import { PageLoading } from '../../shared/page.tsx'
import { Time } from '../../shared/times.tsx'
import { Trouble } from '../../shared/trouble.tsx'
import { DeliveryState } from '../../webhooks/webhook-page.tsx'
import { useWords } from '../../words/words.tsx'

interface Sent extends Delivery {
  readonly webhook: Webhook
}

export function RecordDeliveries({ recordKey }: { readonly recordKey: string }) {
  const { t } = useWords()
  const webhooks = useQuery(webhooksQuery)
  const asked = useQueries({
    queries: (webhooks.data ?? []).map(({ Id }) => deliveriesAboutQuery(Id, recordKey)),
  })
  const error = webhooks.error ?? asked.find((one) => one.error)?.error
  if (error) return <Trouble error={error} onRetry={() => void webhooks.refetch()} />
  if (!webhooks.data || asked.some(({ isPending }) => isPending)) return <PageLoading />
  const sent = webhooks.data
    .flatMap((webhook, at): readonly Sent[] =>
      (asked[at]?.data?.deliveries ?? []).map((delivery) => ({ ...delivery, webhook })),
    )
    .sort((one, other) => other.CreatedAt.localeCompare(one.CreatedAt))
  const isCut = asked.some(({ data }) => data !== undefined && data.total > data.deliveries.length)
  return (
    <>
      <Rows
        label={t('webhooks.title')}
        rows={sent}
        nothing={t('deliveries.nothingAbout')}
        keyOf={({ Id }) => Id}
        columns={[
          {
            title: t('deliveries.event'),
            of: ({ Id, Event, webhook }) => (
              <Go to={`/webhooks/${webhook.Id}`} search={{ delivery: Id }} className="value-link">
                {Event}
              </Go>
            ),
          },
          { title: t('deliveries.state'), of: (delivery) => <DeliveryState delivery={delivery} /> },
          { title: t('webhooks.url'), of: ({ webhook }) => <span className="cell">{webhook.Url}</span> },
          { title: t('deliveries.attempts'), of: ({ Attempts }) => Attempts, isNumber: true },
          {
            title: t('deliveries.reply'),
            of: ({ LastStatus, LastError }) => <span className="cell">{LastStatus ?? LastError ?? '–'}</span>,
          },
          { title: t('deliveries.created'), of: ({ CreatedAt }) => <Time at={CreatedAt} /> },
        ]}
      />
      {isCut && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('deliveries.latestOnly')}
        </Text>
      )}
    </>
  )
}
