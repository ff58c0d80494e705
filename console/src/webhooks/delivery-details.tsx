/** A delivery: the bytes that were sent, each attempt with what came back, and to send it again. */
import { Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask, deliveryQuery, type Attempt } from '../api/webhooks.ts'
import { done } from '../shared/notify.ts'
import { PageLoading } from '../shared/page.tsx'
import { pretty } from '../shared/pretty.ts'
import { Time } from '../shared/times.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

export function DeliveryDetails({
  webhook,
  delivery,
}: {
  readonly webhook: string
  readonly delivery: string
}) {
  const { t } = useWords()
  const queries = useQueryClient()
  const detail = useQuery(deliveryQuery(webhook, delivery))
  const again = useMutation({
    mutationFn: () => ask(webhook, `deliveries/${delivery}/redeliver`),
    onSuccess: async () => {
      done(t('deliveries.redelivered'))
      await queries.invalidateQueries({ queryKey: ['deliveries', webhook] })
    },
  })
  if (detail.error) return <Trouble error={detail.error} />
  if (!detail.data) return <PageLoading />
  const { Event, Body, Log } = detail.data
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text fw={600}>{Event}</Text>
        <Button loading={again.isPending} onClick={() => again.mutate()}>
          {t('deliveries.redeliver')}
        </Button>
      </Group>
      {again.error && <Trouble error={again.error} />}
      <Title order={3}>{t('deliveries.body')}</Title>
      <Code block tabIndex={0} role="region" aria-label={t('deliveries.body')}>
        {pretty(Body)}
      </Code>
      <Title order={3}>{t('deliveries.attempts')}</Title>
      {Log.length === 0 && <Text size="sm">{t('deliveries.noAttempts')}</Text>}
      {Log.map((attempt, index) => (
        <OneAttempt key={attempt.At} attempt={attempt} number={index + 1} />
      ))}
    </Stack>
  )
}

function OneAttempt({ attempt, number }: { readonly attempt: Attempt; readonly number: number }) {
  const { t } = useWords()
  const { At, DurationMs, Request, Response, Error: error } = attempt
  return (
    <details open={number === 1}>
      <summary>
        {number}. <Time at={At} /> · {Response ? Response.Status : error} · {DurationMs} ms
      </summary>
      <Stack gap={6} pt={6}>
        <Code block tabIndex={0} role="region" aria-label={t('deliveries.request', { number })}>
          {`POST ${Request.Url}\n${lines(Request.Headers)}`}
        </Code>
        {Response && (
          <Code block tabIndex={0} role="region" aria-label={t('deliveries.answer', { number })}>
            {`${Response.Status}\n${lines(Response.Headers)}\n\n${Response.Body}`}
          </Code>
        )}
      </Stack>
    </details>
  )
}

const lines = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
