/** An integration: how it stands, what it has received, what a payload would do, how it is set up. */
import { Alert, Button, Tabs } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import {
  deleteIntegration,
  filesQuery,
  integrationQuery,
  integrationsQuery,
  moveIntegration,
  type Integration,
  type IntegrationFile,
} from '../api/integrations.ts'
import { useGo, usePathNames } from '../app/go.tsx'
import type { Search } from '../app/search.ts'
import { Confirm } from '../shared/confirm.tsx'
import { Page, PageLoading } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { Conflicts } from './conflicts.tsx'
import { Inbox } from './inbox.tsx'
import { IntegrationStateBadge } from './integration-state.tsx'
import { PreviewPayload } from './preview-payload.tsx'
import { Sent } from './sent.tsx'
import { SetUpDetails } from './set-up-details.tsx'
import { Syncing } from './syncing.tsx'

const TABS = ['inbox', 'conflicts', 'sent', 'syncing', 'preview', 'setUp'] as const

export function IntegrationPage() {
  const { t } = useWords()
  const { key = '' } = usePathNames()
  const go = useGo()
  const { tab: asked, ...search }: Search = useSearch({ strict: false })
  const integration = useQuery(integrationQuery(key))
  const files = useQuery(filesQuery)
  const trouble = integration.error ?? files.error
  if (trouble) return <Trouble error={trouble} onRetry={() => void integration.refetch()} />
  if (!integration.data || !files.data) return <PageLoading />
  const { Name, State, Reason, Definition } = integration.data
  const file = files.data.find((one) => one.Definition === Definition)
  const tabs = tabsOf(file)
  const tab = tabs.find((one) => one === asked) ?? tabs[0]!
  const show = (next: Search) => go(`/integrations/${key}`, { search: { tab, ...next }, replace: true })
  return (
    <Page
      title={Name}
      text={
        <>
          {file?.Title ?? Definition} <IntegrationStateBadge state={State} />
        </>
      }
      actions={<IntegrationActions integration={integration.data} />}
    >
      {Reason && (
        <Alert
          color={State === 'failing' ? 'red' : 'yellow'}
          variant="light"
          title={t(`integrationState.${State}`)}
        >
          {Reason}
        </Alert>
      )}
      {State === 'off' && (
        <Alert color="gray" variant="light">
          {t('integrations.offText')}
        </Alert>
      )}
      <Tabs
        value={tab}
        onChange={(next) => show({ tab: next ?? undefined, state: undefined, page: undefined })}
        keepMounted={false}
      >
        <Tabs.List aria-label={Name}>
          {tabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`integrationTab.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} pt="sm">
          {tab === 'inbox' && (
            <Inbox integration={key} search={search} onShow={(next) => show({ ...search, ...next })} />
          )}
          {tab === 'sent' && (
            <Sent integration={key} search={search} onShow={(next) => show({ ...search, ...next })} />
          )}
          {tab === 'conflicts' && (
            <Conflicts integration={key} search={search} onShow={(next) => show({ ...search, ...next })} />
          )}
          {tab === 'syncing' && <Syncing integration={integration.data} />}
          {tab === 'preview' && <PreviewPayload integration={key} file={file} />}
          {tab === 'setUp' && <SetUpDetails integration={integration.data} file={file} />}
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

/** Those that something can be seen on: most only take, and a server of SCIM has neither messages nor payloads. */
function tabsOf(file: IntegrationFile | undefined): readonly (typeof TABS)[number][] {
  const [takes, sends, polls] = [file?.Receives, file?.Sends, file?.Polls].map((list) => !!list?.length)
  const shown = {
    inbox: takes || polls || !file?.Scim,
    conflicts: sends,
    sent: sends,
    syncing: sends || polls,
    preview: takes || !file?.Scim,
    setUp: true,
  }
  return TABS.filter((one) => shown[one])
}

function IntegrationActions({ integration }: { readonly integration: Integration }) {
  const { t } = useWords()
  const go = useGo()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<'stop' | 'delete'>()
  const { Id: key, State, Name } = integration
  const refresh = () =>
    Promise.all(
      [['integration', key], integrationsQuery.queryKey, ['inbox', key]].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    )
  const moving = useMutation({
    mutationFn: (how: 'start' | 'pause') => moveIntegration(key, how),
    onSuccess: refresh,
  })
  const close = () => setAsked(undefined)
  const isOn = State !== 'off'
  return (
    <>
      {(State === 'off' || State === 'paused' || State === 'failing') && (
        <Button loading={moving.isPending} onClick={() => moving.mutate('start')}>
          {t('integrations.start')}
        </Button>
      )}
      {isOn && State !== 'paused' && (
        <Button variant="default" loading={moving.isPending} onClick={() => moving.mutate('pause')}>
          {t('integrations.pause')}
        </Button>
      )}
      {isOn && (
        <Button variant="default" onClick={() => setAsked('stop')}>
          {t('integrations.stop')}
        </Button>
      )}
      {!isOn && (
        <Button variant="default" onClick={() => setAsked('delete')}>
          {t('record.delete')}
        </Button>
      )}
      {moving.error && <Trouble error={moving.error} />}
      <Confirm
        opened={asked === 'stop'}
        title={t('integrations.stop')}
        text={t('integrations.stopText')}
        action={t('integrations.stop')}
        run={async () => {
          await moveIntegration(key, 'stop')
          await refresh()
        }}
        onClose={close}
      />
      <Confirm
        opened={asked === 'delete'}
        title={t('record.delete')}
        text={t('integrations.deleteText', { name: Name })}
        action={t('record.delete')}
        run={async () => {
          await deleteIntegration(key)
          await queries.invalidateQueries({ queryKey: integrationsQuery.queryKey })
          go('/integrations')
        }}
        onClose={close}
      />
    </>
  )
}
