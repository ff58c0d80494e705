/** The integrations of the company, and where one is set up. */
import { Button, Modal } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { filesQuery, integrationsQuery, lastDayQuery } from '../api/integrations.ts'
import { Go, useGo } from '../app/go.tsx'
import { Listing } from '../shared/listing.tsx'
import { Page } from '../shared/page.tsx'
import { Time } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'
import { IntegrationStateBadge } from './integration-state.tsx'
import { SetUpIntegration } from './set-up.tsx'

export function IntegrationsPage() {
  const { t } = useWords()
  const go = useGo()
  const integrations = useQuery(integrationsQuery)
  const files = useQuery(filesQuery)
  const [asked, setAsked] = useState(false)
  const fileOf = (name: string) => files.data?.find(({ Definition }) => Definition === name)
  const titleOf = (name: string) => fileOf(name)?.Title ?? name
  const isServer = (name: string) => !!fileOf(name)?.Scim
  const close = () => setAsked(false)
  return (
    <Page
      title={t('integrations.title')}
      text={t('integrations.text')}
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAsked(true)}>
          {t('integrations.setUp')}
        </Button>
      }
    >
      <Listing
        label={t('integrations.title')}
        query={integrations}
        nothing={t('integrations.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          {
            title: t('tokens.name'),
            of: ({ Id, Name }) => (
              <Go to={`/integrations/${Id}`} className="value-link cell">
                {Name}
              </Go>
            ),
          },
          { title: t('users.state'), of: ({ State }) => <IntegrationStateBadge state={State} /> },
          { title: t('integrations.system'), of: ({ Definition }) => titleOf(Definition) },
          { title: t('integrations.why'), of: ({ Reason }) => <span className="cell">{Reason ?? '–'}</span> },
          {
            title: t('integrations.lastDay'),
            of: ({ Id, Definition }) => <LastDay integration={Id} isServer={isServer(Definition)} />,
          },
          { title: t('integrations.runAs'), of: ({ RunAs }) => RunAs },
          { title: t('webhooks.created'), of: ({ CreatedAt }) => <Time at={CreatedAt} /> },
        ]}
      />
      <Modal
        opened={asked}
        onClose={close}
        title={t('integrations.setUp')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {asked && <SetUpIntegration onCancel={close} onDone={({ Id }) => go(`/integrations/${Id}`)} />}
      </Modal>
    </Page>
  )
}

interface LastDayProps {
  readonly integration: string
  /** What it is sent is answered at once, and in no inbox. */
  readonly isServer: boolean
}

function LastDay({ integration, isServer }: LastDayProps) {
  const { t, number } = useWords()
  const { data } = useQuery({ ...lastDayQuery(integration), enabled: !isServer })
  if (!data) return '–'
  return t('integrations.inAndOut', { received: number(data.received), sent: number(data.sent) })
}
