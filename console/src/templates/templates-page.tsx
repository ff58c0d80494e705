/** Templates of mails, the messages that were sent by them, and addresses that get none. */
import { Badge, Button, Tabs } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { templatesQuery } from '../api/templates.ts'
import { Go, useGo } from '../app/go.tsx'
import type { Search } from '../app/search.ts'
import { Listing } from '../shared/listing.tsx'
import { Page } from '../shared/page.tsx'
import { useWords } from '../words/words.tsx'
import { BouncePlace } from './bounce-place.tsx'
import { Layouts } from './layouts.tsx'
import { MessagesTable } from './messages-table.tsx'
import { Suppressions } from './suppressions.tsx'

const TABS = ['templates', 'layouts', 'messages', 'suppressions'] as const

export function TemplatesPage() {
  const { t } = useWords()
  const go = useGo()
  const { tab: asked, state, page }: Search = useSearch({ strict: false })
  const tab = TABS.find((one) => one === asked) ?? 'templates'
  const show = (search: Search) => go('/templates', { search: { tab, ...search }, replace: true })
  return (
    <Page
      title={t('templates.title')}
      text={t('templates.text')}
      actions={
        <Button component={Go} to="/templates/new" leftSection={<IconPlus size={16} aria-hidden />}>
          {t('templates.new')}
        </Button>
      }
    >
      <Tabs value={tab} onChange={(next) => show({ tab: next ?? undefined })} keepMounted={false}>
        <Tabs.List aria-label={t('templates.title')}>
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`templateTabs.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} pt="sm">
          {tab === 'templates' && <Templates />}
          {tab === 'layouts' && <Layouts />}
          {tab === 'messages' && <MessagesTable state={state} page={page} onShow={show} />}
          {tab === 'suppressions' && (
            <>
              <Suppressions page={page} onPage={(next) => show({ page: next })} />
              <BouncePlace />
            </>
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

function Templates() {
  const { t } = useWords()
  const templates = useQuery(templatesQuery)
  return (
    <Listing
      label={t('templates.title')}
      query={templates}
      nothing={t('templates.nothing')}
      keyOf={({ Id }) => Id}
      columns={[
        {
          title: t('tokens.name'),
          of: ({ Id, name }) => (
            <Go to={`/templates/${Id}`} className="value-link">
              {name}
            </Go>
          ),
        },
        { title: t('templates.trigger'), of: ({ trigger }) => trigger },
        { title: t('templates.locale'), of: ({ locale }) => <Badge variant="default">{locale}</Badge> },
        { title: t('templates.subject'), of: ({ subject }) => <span className="cell">{subject}</span> },
        { title: t('templates.version'), of: ({ version }) => version, isNumber: true },
      ]}
    />
  )
}
