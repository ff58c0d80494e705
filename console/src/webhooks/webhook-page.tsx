/** A webhook: what was sent to it, what came back, and to send it again. */
import { Alert, Badge, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Go, useGo, usePathNames } from '../app/go.tsx'
import { ThingLink } from '../app/thing-link.tsx'
import type { Search } from '../app/search.ts'
import {
  ask,
  changeWebhook,
  deleteWebhook,
  deliveriesQuery,
  webhookQuery,
  type Delivery,
  type Webhook,
  type WithSecret,
} from '../api/webhooks.ts'
import { Confirm } from '../shared/confirm.tsx'
import { ChooseState } from '../shared/choose-state.tsx'
import { Listing } from '../shared/listing.tsx'
import { utcMoment } from '../shared/moments.ts'
import { done } from '../shared/notify.ts'
import { Page, PageLoading } from '../shared/page.tsx'
import { TurnPages } from '../shared/pages.tsx'
import { Secret } from '../shared/secret.tsx'
import { Time } from '../shared/times.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { DeliveryDetails } from './delivery-details.tsx'
import { WebhookState } from './webhooks-page.tsx'

const STATES = ['Pending', 'Delivered', 'Failed', 'Cancelled'] as const

export function WebhookPage() {
  const { t } = useWords()
  const { key = '' } = usePathNames()
  const { state, page, delivery }: Search = useSearch({ strict: false })
  const go = useGo()
  const show = (search: Search) =>
    go(`/webhooks/${key}`, { search: { state, page, ...search }, replace: true })
  const webhook = useQuery(webhookQuery(key))
  const deliveries = useQuery(deliveriesQuery(key, state, page))
  if (webhook.error) return <Trouble error={webhook.error} onRetry={() => void webhook.refetch()} />
  if (!webhook.data) return <PageLoading />
  const listed = { ...deliveries, data: deliveries.data?.deliveries } as Parameters<
    typeof Listing<Delivery>
  >[0]['query']
  return (
    <Page
      title={webhook.data.Url}
      text={
        <>
          {webhook.data.Events.join(', ')} <WebhookState webhook={webhook.data} />
        </>
      }
      actions={<WebhookActions webhook={webhook.data} />}
    >
      {webhook.data.DisabledReason && (
        <Alert color="red" variant="light" title={t('webhooks.off')}>
          {webhook.data.DisabledReason}
        </Alert>
      )}
      <Group gap="xs">
        <ChooseState
          label={t('deliveries.state')}
          states={STATES}
          textOf={(one) => t(`deliveries.${one}`)}
          value={state}
          onChoose={(next) => show({ state: next, page: undefined })}
        />
      </Group>
      <Listing
        label={t('deliveries.title')}
        query={listed}
        nothing={t('deliveries.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          {
            title: t('deliveries.event'),
            of: ({ Id, Event }) => (
              <Go to={`/webhooks/${key}`} search={{ state, page, delivery: Id }} className="value-link">
                {Event}
              </Go>
            ),
          },
          {
            title: t('deliveries.record'),
            of: ({ Record }) => <ThingLink of={Record}>…{Record.slice(-6)}</ThingLink>,
          },
          { title: t('deliveries.state'), of: (one) => <DeliveryState delivery={one} /> },
          { title: t('deliveries.attempts'), of: ({ Attempts }) => Attempts, isNumber: true },
          {
            title: t('deliveries.reply'),
            of: ({ LastStatus, LastError }) => <span className="cell">{LastStatus ?? LastError ?? '–'}</span>,
          },
          { title: t('deliveries.next'), of: ({ NextAttemptAt }) => <Time at={NextAttemptAt} /> },
          { title: t('deliveries.created'), of: ({ CreatedAt }) => <Time at={CreatedAt} /> },
        ]}
      />
      <TurnPages pagination={deliveries.data?.pagination} onPage={(next) => show({ page: next })} />
      <Modal
        size="xl"
        opened={delivery !== undefined}
        onClose={() => show({ delivery: undefined })}
        title={t('deliveries.one')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {delivery !== undefined && <DeliveryDetails webhook={key} delivery={delivery} />}
      </Modal>
    </Page>
  )
}

export function DeliveryState({ delivery: { State } }: { readonly delivery: Delivery }) {
  const { t } = useWords()
  const color = { Pending: 'yellow', Delivered: 'teal', Failed: 'red', Cancelled: 'gray' }[State]
  return (
    <Badge color={color} variant="dot">
      {t(`deliveries.${State}`)}
    </Badge>
  )
}

function WebhookActions({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useWords()
  const go = useGo()
  const queries = useQueryClient()
  const key = webhook.Id
  const [asked, setAsked] = useState<'rotate' | 'replay' | 'delete'>()
  const [secret, setSecret] = useState<string>()
  const refresh = () =>
    Promise.all(
      [['webhook', key], ['deliveries', key], ['webhooks']].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    )
  const pinging = useMutation({
    mutationFn: () => ask(key, 'ping'),
    onSuccess: async () => {
      done(t('webhooks.pinged'))
      await refresh()
    },
  })
  const switching = useMutation({
    mutationFn: () => changeWebhook(key, { IsActive: !webhook.IsActive }),
    onSuccess: refresh,
  })
  const close = () => setAsked(undefined)
  return (
    <>
      <Button variant="default" loading={pinging.isPending} onClick={() => pinging.mutate()}>
        {t('webhooks.ping')}
      </Button>
      <Button variant="default" onClick={() => setAsked('replay')}>
        {t('webhooks.replay')}
      </Button>
      <Button variant="default" onClick={() => setAsked('rotate')}>
        {t('webhooks.rotate')}
      </Button>
      <Button variant="default" loading={switching.isPending} onClick={() => switching.mutate()}>
        {webhook.IsActive ? t('webhooks.switchOff') : t('webhooks.switchOn')}
      </Button>
      <Button variant="default" onClick={() => setAsked('delete')}>
        {t('record.delete')}
      </Button>
      {(pinging.error ?? switching.error) && <Trouble error={pinging.error ?? switching.error} />}
      <Confirm
        opened={asked === 'rotate'}
        isDangerous={false}
        title={t('webhooks.rotate')}
        text={t('webhooks.rotateText')}
        action={t('webhooks.rotate')}
        run={async () => {
          const { Secret: value = '' } = await ask<WithSecret>(key, 'rotate-secret', {})
          await refresh()
          setSecret(value)
        }}
        onClose={close}
      />
      <Confirm
        opened={asked === 'delete'}
        title={t('record.delete')}
        text={t('webhooks.deleteText', { url: webhook.Url })}
        action={t('record.delete')}
        run={async () => {
          await deleteWebhook(key)
          await queries.invalidateQueries({ queryKey: ['webhooks'] })
          go('/webhooks')
        }}
        onClose={close}
      />
      <Modal
        opened={asked === 'replay'}
        onClose={close}
        title={t('webhooks.replay')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <Replay webhook={key} onDone={() => void refresh().then(close)} />
      </Modal>
      <Modal
        opened={secret !== undefined}
        onClose={() => setSecret(undefined)}
        title={t('webhooks.secret')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <Secret title={t('webhooks.secret')} value={secret ?? ''} onDone={() => setSecret(undefined)} />
      </Modal>
    </>
  )
}

function Replay({ webhook, onDone }: { readonly webhook: string; readonly onDone: () => void }) {
  const { t } = useWords()
  const [from, setFrom] = useState('')
  const replaying = useMutation({
    mutationFn: () => ask(webhook, 'replay', { From: utcMoment(from) ?? 'beginning' }),
    onSuccess: () => {
      done(t('webhooks.replayed'))
      onDone()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    replaying.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">{t('webhooks.replayText')}</Text>
        <TextInput
          type="datetime-local"
          step={1}
          label={t('webhooks.replayFrom')}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
          data-autofocus
        />
        {replaying.error && <Trouble error={replaying.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={replaying.isPending}>
            {t('webhooks.replay')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
