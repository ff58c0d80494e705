/** A template: written, looked at with a record, compared with what it said before. */
import { Button, Tabs } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteTemplate, templateQuery, triggersQuery, type Stored, type Template } from '../api/templates.ts'
import { useGo, usePathNames } from '../app/go.tsx'
import type { Search } from '../app/search.ts'
import { Confirm } from '../shared/confirm.tsx'
import { done } from '../shared/notify.ts'
import { Page, PageLoading } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { TemplateForm } from './template-form.tsx'
import { TemplatePreview } from './template-preview.tsx'
import { TemplateVersions } from './template-versions.tsx'

const TABS = ['edit', 'preview', 'versions'] as const

/** After a write: what was stored is what shows. */
function useStored(): (stored: Stored) => void {
  const { t } = useWords()
  const queries = useQueryClient()
  return ({ template }) => {
    done(t('record.saved'))
    queries.setQueryData(['template', template.Id, 'now'], template)
    void queries.invalidateQueries({ queryKey: ['templates'] })
  }
}

export function NewTemplatePage() {
  const { t } = useWords()
  const go = useGo()
  const stored = useStored()
  return (
    <Page title={t('templates.new')} text={t('templates.newText')}>
      <TemplateForm
        template={undefined}
        onSaved={(made) => {
          stored(made)
          go(`/templates/${made.template.Id}`)
        }}
      />
    </Page>
  )
}

export function TemplatePage() {
  const { key = '' } = usePathNames()
  const loaded = useQuery(templateQuery(key))
  if (loaded.error) return <Trouble error={loaded.error} onRetry={() => void loaded.refetch()} />
  return loaded.data ? <OneTemplate key={key} template={loaded.data} /> : <PageLoading />
}

function OneTemplate({ template }: { readonly template: Template }) {
  const { t } = useWords()
  const go = useGo()
  const stored = useStored()
  const queries = useQueryClient()
  const triggers = useQuery(triggersQuery).data
  const { tab: asked }: Search = useSearch({ strict: false })
  const tab = TABS.find((one) => one === asked) ?? 'edit'
  const [deleting, setDeleting] = useState(false)
  /** The version that a revert has made: once it is here, the form begins with it. */
  const [reverted, setReverted] = useState(0)
  return (
    <Page
      title={template.name}
      text={`${template.trigger} · ${template.locale} · ${t('history.version', { version: template.version })}`}
      actions={
        <Button variant="default" onClick={() => setDeleting(true)}>
          {t('record.delete')}
        </Button>
      }
    >
      <Tabs
        value={tab}
        onChange={(next) =>
          go(`/templates/${template.Id}`, { search: { tab: next ?? undefined }, replace: true })
        }
      >
        <Tabs.List aria-label={template.name}>
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`templateTab.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="edit" pt="sm">
          <TemplateForm
            key={template.version >= reverted ? reverted : 0}
            template={template}
            onSaved={stored}
          />
        </Tabs.Panel>
        <Tabs.Panel value="preview" pt="sm">
          <TemplatePreview
            template={template}
            trigger={triggers?.find(({ trigger }) => trigger === template.trigger)}
          />
        </Tabs.Panel>
        <Tabs.Panel value="versions" pt="sm">
          {tab === 'versions' && (
            <TemplateVersions
              key={template.version}
              template={template}
              onReverted={(now) => {
                stored(now)
                setReverted(now.template.version)
                go(`/templates/${template.Id}`)
              }}
            />
          )}
        </Tabs.Panel>
      </Tabs>
      <Confirm
        opened={deleting}
        title={t('record.delete')}
        text={t('templates.deleteText', { name: template.name })}
        action={t('record.delete')}
        run={async () => {
          await deleteTemplate(template)
          done(t('record.deleted'))
          await queries.invalidateQueries({ queryKey: ['templates'] })
          go('/templates')
        }}
        onClose={() => setDeleting(false)}
      />
    </Page>
  )
}
