/** The webhooks: where events are sent, and whether they arrive. */
import { Badge, Button, Modal, TagsInput, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Go } from '../app/go.tsx'
import {
  createWebhook,
  eventNamesQuery,
  webhooksQuery,
  type Webhook,
  type WithSecret,
} from '../api/webhooks.ts'
import { Form } from '../shared/form.tsx'
import { Listing } from '../shared/listing.tsx'
import { Page } from '../shared/page.tsx'
import { Secret } from '../shared/secret.tsx'
import { Time } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'

export function WebhooksPage() {
  const { t } = useWords()
  const queries = useQueryClient()
  const webhooks = useQuery(webhooksQuery)
  const [asked, setAsked] = useState<'create' | WithSecret>()
  const close = () => setAsked(undefined)
  return (
    <Page
      title={t('webhooks.title')}
      text={t('webhooks.text')}
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAsked('create')}>
          {t('webhooks.create')}
        </Button>
      }
    >
      <Listing
        label={t('webhooks.title')}
        query={webhooks}
        nothing={t('webhooks.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          {
            title: t('webhooks.url'),
            of: ({ Id, Url }) => (
              <Go to={`/webhooks/${Id}`} className="value-link cell">
                {Url}
              </Go>
            ),
          },
          {
            title: t('webhooks.events'),
            of: ({ Events }) => <span className="cell">{Events.join(', ')}</span>,
          },
          { title: t('webhooks.state'), of: (webhook) => <WebhookState webhook={webhook} /> },
          { title: t('webhooks.pending'), of: ({ Pending }) => Pending, isNumber: true },
          { title: t('webhooks.created'), of: ({ CreatedAt }) => <Time at={CreatedAt} /> },
        ]}
      />
      <Modal
        opened={asked !== undefined}
        onClose={close}
        title={t('webhooks.create')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {asked === 'create' && (
          <CreateWebhook
            onCancel={close}
            onCreated={async (webhook) => {
              await queries.invalidateQueries({ queryKey: webhooksQuery.queryKey })
              setAsked(webhook.Secret === undefined ? undefined : webhook)
            }}
          />
        )}
        {typeof asked === 'object' && (
          <Secret title={t('webhooks.secret')} value={asked.Secret ?? ''} onDone={close} />
        )}
      </Modal>
    </Page>
  )
}

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useWords()
  if (!webhook.IsActive)
    return (
      <Badge color="red" variant="dot" title={webhook.DisabledReason ?? undefined}>
        {t('webhooks.off')}
      </Badge>
    )
  if (webhook.FailingSince)
    return (
      <Badge color="yellow" variant="dot">
        {t('webhooks.failing')}
      </Badge>
    )
  return (
    <Badge color="teal" variant="dot">
      {t('webhooks.on')}
    </Badge>
  )
}

interface CreateWebhookProps {
  readonly onCreated: (webhook: WithSecret) => unknown
  readonly onCancel: () => void
}

function CreateWebhook({ onCreated, onCancel }: CreateWebhookProps) {
  const { t } = useWords()
  const names = useQuery(eventNamesQuery).data ?? []
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState<string[]>([])
  const [description, setDescription] = useState('')
  const creating = useMutation({
    mutationFn: () =>
      createWebhook({ Url: url.trim(), Events: events, Description: description.trim() || null }),
    onSuccess: onCreated,
  })
  const objects = [...new Set(names.map((name) => `${name.split('.')[0] ?? ''}.*`))]
  return (
    <Form sending={creating} action={t('webhooks.create')} onCancel={onCancel}>
      <TextInput
        label={t('webhooks.url')}
        type="url"
        required
        placeholder="https://example.com/hook"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        data-autofocus
      />
      <TagsInput
        label={t('webhooks.events')}
        description={t('webhooks.eventsText')}
        required
        data={['*', ...objects, ...names]}
        limit={20}
        value={events}
        onChange={setEvents}
      />
      <TextInput
        label={t('webhooks.description')}
        maxLength={500}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </Form>
  )
}
