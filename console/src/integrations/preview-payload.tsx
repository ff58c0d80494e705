/** What a payload would do: judged in full, nothing stored. */
import { Button, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { previewPayload, type IntegrationFile } from '../api/integrations.ts'
import { Nothing } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { Results } from './results.tsx'

export interface PreviewPayloadProps {
  readonly integration: string
  readonly file: IntegrationFile | undefined
}

export function PreviewPayload({ integration, file }: PreviewPayloadProps) {
  const { t } = useWords()
  const entries = file?.Receives ?? []
  const [chosen, setChosen] = useState<string>()
  const entry = entries.find(({ Name }) => Name === chosen) ?? entries[0]
  const [text, setText] = useState('')
  const payload = parsed(text)
  const asking = useMutation({
    mutationFn: () => previewPayload(integration, entry?.Name ?? '', payload),
  })
  if (!entry) return <Nothing>{t('preview.nothing')}</Nothing>
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (payload !== undefined) asking.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('preview.text')}
        </Text>
        <NativeSelect
          label={t('inbox.entry')}
          description={entry.Description}
          data={entries.map(({ Name }) => Name)}
          value={entry.Name}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <Textarea
          label={t('inbox.payload')}
          required
          rows={8}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={text}
          error={text.trim() !== '' && payload === undefined && t('preview.notJson')}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Group>
          <Button type="submit" loading={asking.isPending}>
            {t('preview.ask')}
          </Button>
        </Group>
        {asking.error && <Trouble error={asking.error} />}
        {asking.data && <Results results={asking.data} nothing={t('preview.noRule')} />}
      </Stack>
    </form>
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
