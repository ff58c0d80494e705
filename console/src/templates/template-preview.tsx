/** A template with the values of a record, as its mail would be. */
import { Alert, Button, NativeSelect, Paper, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSeen } from '../api/objects.ts'
import { previewTemplateQuery, testTemplate, type Template, type Trigger } from '../api/templates.ts'
import { LookupInput } from '../records/values/lookup-input.tsx'
import { lookedUp } from '../records/values/value.tsx'
import { spaced } from '../shared/names.ts'
import { done } from '../shared/notify.ts'
import { Nothing, PageLoading } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { MailBody } from './mail-body.tsx'

export interface TemplatePreviewProps {
  readonly template: Template
  readonly trigger: Trigger | undefined
}

export function TemplatePreview({ template, trigger }: TemplatePreviewProps) {
  const { t } = useWords()
  const objects = useSeen()?.Objects ?? []
  const only = objects.find(({ Object }) => Object === trigger?.object)
  const [chosen, setChosen] = useState<string>()
  const object = only ?? objects.find(({ Object }) => Object === chosen) ?? objects[0]
  const [record, setRecord] = useState<string>()
  const preview = useQuery(previewTemplateQuery(template, record))
  if (!object) return <Nothing>{t('home.nothing')}</Nothing>
  return (
    <Stack gap="sm">
      {!only && (
        <NativeSelect
          label={t('audit.object')}
          data={objects.map(({ Object, Name }) => ({ value: Object, label: spaced(Name) }))}
          value={object.Object}
          onChange={(event) => {
            setChosen(event.currentTarget.value)
            setRecord(undefined)
          }}
        />
      )}
      <LookupInput
        key={object.Object}
        label={t('templates.withRecord', { object: spaced(object.Name) })}
        description={t('templates.savedOnly')}
        required={false}
        error={undefined}
        target={object.Object}
        value={record}
        onValue={(value) => setRecord(lookedUp(value)?.key)}
      />
      {preview.error && <Trouble error={preview.error} />}
      {record !== undefined && preview.isPending && <PageLoading />}
      {preview.data && (
        <Paper withBorder p="sm">
          <Text fw={600} mb="xs" data-testid="subject">
            {preview.data.subject}
          </Text>
          {record !== undefined && <SendToMe template={template} record={record} />}
          <MailBody html={preview.data.body} title={t('templates.mail')} />
          {preview.data.missing.length > 0 && (
            <Alert color="yellow" variant="light" mt="xs">
              {t('templates.missing', { tags: preview.data.missing.join(', ') })}
            </Alert>
          )}
        </Paper>
      )}
    </Stack>
  )
}

interface SendToMeProps {
  readonly template: Template
  readonly record: string
}

function SendToMe({ template, record }: SendToMeProps) {
  const { t } = useWords()
  const sending = useMutation({
    mutationFn: () => testTemplate(template, record),
    onSuccess: () => done(t('templates.tested')),
  })
  return (
    <>
      <Button
        size="xs"
        variant="default"
        mb="xs"
        loading={sending.isPending}
        onClick={() => sending.mutate()}
      >
        {t('templates.test')}
      </Button>
      {sending.error && <Trouble error={sending.error} />}
    </>
  )
}
