/** What a template said before, beside what it says now; and to have it so again. */
import { Button, Code, Group, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { revertTemplate, templateQuery, type Stored, type Template } from '../api/templates.ts'
import { Confirm } from '../shared/confirm.tsx'
import { Nothing, PageLoading } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

const SHOWN = ['name', 'trigger', 'locale', 'subject', 'body', 'text', 'layout'] as const
const LABELS = {
  name: 'tokens.name',
  trigger: 'templates.trigger',
  locale: 'templates.locale',
  subject: 'templates.subject',
  body: 'templates.body',
  text: 'templates.plainText',
  layout: 'templates.layout',
} as const

export interface TemplateVersionsProps {
  readonly template: Template
  readonly onReverted: (stored: Stored) => unknown
}

export function TemplateVersions({ template, onReverted }: TemplateVersionsProps) {
  const { t } = useWords()
  const [version, setVersion] = useState(template.version - 1)
  const [asked, setAsked] = useState(false)
  const before = useQuery({ ...templateQuery(template.Id, version), enabled: version > 0 })
  if (template.version === 1) return <Nothing>{t('templates.onlyVersion')}</Nothing>
  const versions = Array.from({ length: template.version - 1 }, (_, at) => template.version - 1 - at)
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="xs">
        <NativeSelect
          label={t('templates.version')}
          data={versions.map(String)}
          value={String(version)}
          onChange={(event) => setVersion(Number(event.currentTarget.value))}
        />
        <Button variant="default" disabled={!before.data} onClick={() => setAsked(true)}>
          {t('templates.revert')}
        </Button>
      </Group>
      {before.error && <Trouble error={before.error} />}
      {before.isPending && <PageLoading />}
      {before.data && <Differences before={before.data} now={template} />}
      <Confirm
        opened={asked}
        isDangerous={false}
        title={t('templates.revert')}
        text={t('templates.revertText', { version })}
        action={t('templates.revert')}
        run={async () => onReverted(await revertTemplate(template, version))}
        onClose={() => setAsked(false)}
      />
    </Stack>
  )
}

function Differences({ before, now }: { readonly before: Template; readonly now: Template }) {
  const { t } = useWords()
  const changed = SHOWN.filter((name) => before[name] !== now[name])
  if (changed.length === 0) return <Text size="sm">{t('history.same')}</Text>
  return changed.map((name) => (
    <div key={name}>
      <Text size="sm" fw={600}>
        {t(LABELS[name])}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xs">
        {[before, now].map((one) => (
          <div key={one.version}>
            <Text size="xs" c="dimmed">
              {t('history.version', { version: one.version })}
            </Text>
            <Code block style={{ whiteSpace: 'pre-wrap' }}>
              {one[name] ?? '–'}
            </Code>
          </div>
        ))}
      </SimpleGrid>
    </div>
  ))
}
