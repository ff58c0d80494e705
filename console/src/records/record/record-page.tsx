/** A record: what it is, what can be done with it, and what happened to it. */
import { ActionIcon, Alert, Anchor, Button, Menu, Tabs, Text, TextInput } from '@mantine/core'
import { IconDots, IconPencil } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Go, useGo, usePathNames } from '../../app/go.tsx'
import { NotThere } from '../../app/not-there.tsx'
import type { Search } from '../../app/search.ts'
import { mayDo, objectsQuery, type ObjectSeen } from '../../api/objects.ts'
import { deleteRecord, recordQuery } from '../../api/records.ts'
import { draftOf } from '../../shared/drafts.ts'
import { Confirm } from '../../shared/confirm.tsx'
import { spaced } from '../../shared/names.ts'
import { done } from '../../shared/notify.ts'
import { Page, PageLoading } from '../../shared/page.tsx'
import { Trouble } from '../../shared/trouble.tsx'
import { useWords } from '../../words/words.tsx'
import { State, textOfValue } from '../values/value.tsx'
import { fieldOf } from '../../api/objects.ts'
import { AsOf } from './as-of.tsx'
import { Details } from './details.tsx'
import { EditRecord } from './edit-record.tsx'
import { History } from './history.tsx'
import { othersOf, type Others } from './others.ts'
import { RecordDeliveries } from './record-deliveries.tsx'
import { RecordMails } from './record-mails.tsx'
import { RecordExchanges } from './record-exchanges.tsx'
import { Actions } from './workflow-actions.tsx'

export function RecordPage() {
  const { object: name, key } = usePathNames()
  const seen = useQuery(objectsQuery).data
  if (!seen) return <PageLoading />
  const object = seen.Objects.find(({ Object }) => Object === name)
  return object && key ? (
    <OneRecord key={key} object={object} recordKey={key} tabs={othersOf(seen)} />
  ) : (
    <NotThere />
  )
}

interface OneRecordProps {
  readonly object: ObjectSeen
  readonly recordKey: string
  readonly tabs: Others
}

function OneRecord({ object, recordKey: key, tabs }: OneRecordProps) {
  const words = useWords()
  const { t } = words
  const go = useGo()
  const { tab = 'details', asOf }: Search = useSearch({ strict: false })
  const loaded = useQuery(recordQuery(object.Object, key, asOf))
  const [editing, setEditing] = useState(() => draftOf(`${object.Object}/${key}`) !== undefined)
  const here = `/records/${object.Object}/${key}`
  const show = (search: Search) =>
    go(here, { search: { tab: tab === 'details' ? undefined : tab, asOf, ...search }, replace: true })
  const audits = mayDo(object, 'audit')
  const record = loaded.data?.record
  const state = object.Workflow ? record?.[object.Workflow.Field] : undefined
  const title = record ? textOfValue(record[object.Display], fieldOf(object, object.Display), words) : key
  const isNow = asOf === undefined
  const isEdited = editing && isNow && record !== undefined && !loaded.isPlaceholderData
  return (
    <Page
      title={title}
      text={
        <>
          <Anchor component={Go} to={`/records/${object.Object}`} inherit underline="always">
            {spaced(object.Name)}
          </Anchor>{' '}
          · {key} {typeof state === 'string' && <State state={state} />}
        </>
      }
      actions={
        record &&
        isNow &&
        !isEdited && (
          <>
            {object.Workflow && <Actions object={object} recordKey={key} etag={loaded.data?.etag} />}
            {mayDo(object, 'update') && (
              <Button
                variant="default"
                leftSection={<IconPencil size={16} aria-hidden />}
                onClick={() => setEditing(true)}
              >
                {t('record.edit')}
              </Button>
            )}
            {mayDo(object, 'delete') && (
              <More object={object} recordKey={key} etag={loaded.data?.etag} title={title} />
            )}
          </>
        )
      }
    >
      {audits && !isEdited && (
        <AsOf object={object} recordKey={key} asOf={asOf} onAsOf={(moment) => show({ asOf: moment })} />
      )}
      {!isNow && !audits && (
        <Alert color="yellow" variant="light">
          {t('asOf.notYours')}
        </Alert>
      )}
      {loaded.error && <Trouble error={loaded.error} onRetry={() => void loaded.refetch()} />}
      {loaded.isPending && <PageLoading />}
      {isEdited && loaded.data && (
        <EditRecord object={object} recordKey={key} loaded={loaded.data} onClose={() => setEditing(false)} />
      )}
      {record && !loaded.error && !isEdited && (
        <Tabs
          value={tab}
          onChange={(next) => show({ tab: next === 'details' ? undefined : (next ?? undefined) })}
          keepMounted={false}
        >
          <Tabs.List aria-label={title}>
            <Tabs.Tab value="details">{t('record.details')}</Tabs.Tab>
            {audits && <Tabs.Tab value="history">{t('history.title')}</Tabs.Tab>}
            {tabs.mails && <Tabs.Tab value="mails">{t('templates.title')}</Tabs.Tab>}
            {tabs.webhooks && <Tabs.Tab value="webhooks">{t('webhooks.title')}</Tabs.Tab>}
            {tabs.integrations && <Tabs.Tab value="integrations">{t('integrations.title')}</Tabs.Tab>}
          </Tabs.List>
          <Tabs.Panel value="details" pt="sm">
            <Details object={object} record={record} />
          </Tabs.Panel>
          {tabs.webhooks && (
            <Tabs.Panel value="webhooks" pt="sm">
              <RecordDeliveries recordKey={key} />
            </Tabs.Panel>
          )}
          {tabs.integrations && (
            <Tabs.Panel value="integrations" pt="sm">
              <RecordExchanges object={object.Object} recordKey={key} audits={audits} />
            </Tabs.Panel>
          )}
          {tabs.mails && (
            <Tabs.Panel value="mails" pt="sm">
              <RecordMails recordKey={key} />
            </Tabs.Panel>
          )}
          {audits && (
            <Tabs.Panel value="history" pt="sm">
              <History
                object={object}
                recordKey={key}
                others={tabs}
                onAsOf={(moment) => show({ asOf: moment, tab: undefined })}
              />
            </Tabs.Panel>
          )}
        </Tabs>
      )}
    </Page>
  )
}

interface MoreProps {
  readonly object: ObjectSeen
  readonly recordKey: string
  readonly etag: string | undefined
  readonly title: string
}

function More({ object, recordKey, etag, title }: MoreProps) {
  const { t } = useWords()
  const go = useGo()
  const queries = useQueryClient()
  const [asked, setAsked] = useState(false)
  const [reason, setReason] = useState('')
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t('actionsOf', { name: title })}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAsked(true)}>{t('record.delete')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={asked}
        title={t('record.delete')}
        text={t('record.deleteText', { title })}
        action={t('record.delete')}
        run={async () => {
          await deleteRecord(object.Object, recordKey, etag, reason)
          done(t('record.deleted'))
          await queries.invalidateQueries({ queryKey: ['records', object.Object] })
          go(`/records/${object.Object}`)
        }}
        onClose={() => setAsked(false)}
      >
        <TextInput
          label={t('record.reason')}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Text size="xs" c="dimmed">
          {t('record.deleteKeeps')}
        </Text>
      </Confirm>
    </>
  )
}
