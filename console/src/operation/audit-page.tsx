/** Everything that happened in the company, newest first; and all of it as a file. */
import { Button, Group, TextInput } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { useGo } from '../app/go.tsx'
import { ThingLink } from '../app/thing-link.tsx'
import type { Search } from '../app/search.ts'
import type { AuditItem } from '../../../src/api/history/audit-item.ts'
import { auditQuery } from '../api/operation.ts'
import { urlOf } from '../api/request.ts'
import { Listing } from '../shared/listing.tsx'
import { Page } from '../shared/page.tsx'
import { TurnPages } from '../shared/pages.tsx'
import { Time } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'

const FILTERS = ['object', 'key', 'actor', 'event', 'from', 'to'] as const

export function AuditPage() {
  const { t } = useWords()
  const go = useGo()
  const all: Search = useSearch({ strict: false })
  const given = Object.fromEntries(FILTERS.map((name) => [name, all[name]])) as Search
  const audit = useQuery(auditQuery({ ...given, page: all['page'] }))
  const [typed, setTyped] = useState<Search>(given)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    go('/audit', { search: typed, replace: true })
  }
  const listed = { ...audit, data: audit.data?.items } as Parameters<typeof Listing<AuditItem>>[0]['query']
  return (
    <Page
      title={t('audit.title')}
      text={t('audit.text')}
      actions={
        <Button
          component="a"
          href={urlOf('audit/export', given)}
          download="audit.jsonl"
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {t('audit.export')}
        </Button>
      }
    >
      <form onSubmit={submit}>
        <Group gap="xs" align="flex-end">
          {FILTERS.map((name) => (
            <TextInput
              key={name}
              size="xs"
              w={150}
              label={t(`audit.${name}`)}
              placeholder={name === 'from' || name === 'to' ? '2026-03-31' : undefined}
              value={typed[name] ?? ''}
              onChange={(event) => {
                const { value } = event.currentTarget
                setTyped((now) => ({ ...now, [name]: value.trim() || undefined }))
              }}
            />
          ))}
          <Button size="xs" type="submit">
            {t('filter.apply')}
          </Button>
        </Group>
      </form>
      <Listing
        label={t('audit.title')}
        query={listed}
        nothing={t('audit.nothing')}
        keyOf={({ Position, Key }) => `${Position} ${Key}`}
        columns={[
          { title: t('audit.event'), of: ({ Event }) => Event },
          {
            title: t('audit.key'),
            of: ({ Key }) => (
              <ThingLink of={Key} search={{ tab: 'history' }} className="cell">
                {Key}
              </ThingLink>
            ),
          },
          { title: t('audit.by'), of: ({ By }) => By.Name },
          { title: t('audit.at'), of: ({ At }) => <Time at={At} /> },
          { title: t('record.reason'), of: ({ Reason }) => <span className="cell">{Reason ?? '–'}</span> },
        ]}
      />
      <TurnPages
        pagination={audit.data?.pagination}
        onPage={(page) => go('/audit', { search: { ...given, page }, replace: true })}
      />
    </Page>
  )
}
