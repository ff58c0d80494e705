/** Which column of the file goes into which field: chosen beside its first cells, suggested by its name. */
import { Alert, Button, Checkbox, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { mapImport, previewQuery, type Import } from '../api/imports.ts'
import type { ObjectSeen } from '../api/objects.ts'
import { spaced } from '../shared/names.ts'
import { PageLoading } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { ColumnRow } from './column-row.tsx'
import {
  choicesOf,
  columnsToMap,
  keyFieldsOf,
  mappingOf,
  missingIn,
  suggestionsFor,
  type Choices,
} from './mapping.ts'
import { ModeSelect } from './mode-select.tsx'

export function MappingEditor({ whole, object }: { readonly whole: Import; readonly object: ObjectSeen }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const columns = columnsToMap(whole.Columns)
  const preview = useQuery(previewQuery(whole.Id, whole.Mapping))
  const [choices, setChoices] = useState(() => choicesOf(whole.Mapping, whole.Columns))
  const change = (part: Partial<Choices>) => setChoices((now) => ({ ...now, ...part }))
  const suggested = suggestionsFor(columns, object, choices)
  const count = Object.keys(suggested).length
  const saving = useMutation({
    mutationFn: () => mapImport(whole.Id, mappingOf(choices, whole.Mapping, columns)),
    onSuccess: (now) => queries.setQueryData(['import', whole.Id], now),
  })
  if (preview.error) return <Trouble error={preview.error} onRetry={() => void preview.refetch()} />
  if (!preview.data) return <PageLoading />
  const { data } = preview
  const missing = missingIn(object, choices, whole.Mapping)
  const before = choicesOf(whole.Mapping, whole.Columns)
  // A question is settled, as far as this page knows, once something else is chosen.
  const general = whole.Questions.filter(
    ({ Column }) => Column === null && Object.keys(choices.targets).length === 0,
  )
  const openOn = (column: string) =>
    whole.Questions.filter(
      ({ Column }) => Column === column && choices.targets[column] === before.targets[column],
    )
  return (
    <Stack gap="sm">
      {general.map(({ Field, Question }) => (
        <Alert key={`${Field} ${Question}`} color="yellow" variant="light">
          {Field && <b>{Field}: </b>}
          {Question}
        </Alert>
      ))}
      <KeyChoice object={object} choices={choices} onChange={change} />
      {count > 0 && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="light"
            onClick={() => change({ targets: { ...choices.targets, ...suggested } })}
          >
            {t('imports.takeSuggestions', { count })}
          </Button>
          <Text size="sm" c="dimmed">
            {t('imports.suggestionsText')}
          </Text>
        </Group>
      )}
      <Stack component="ul" gap="xs" p={0} m={0} aria-label={t('imports.columns')}>
        {columns.map((column) => (
          <ColumnRow
            key={column}
            column={column}
            object={object}
            choices={choices}
            suggested={suggested[column]}
            found={data.Columns.find(({ Column }) => Column === column)}
            examples={data.Rows.map(({ Cells }) => Cells[column] ?? '').filter((text) => text !== '')}
            questions={openOn(column)}
            onChange={change}
          />
        ))}
      </Stack>
      {missing.length > 0 && (
        <Text size="sm" role="status">
          {t('imports.missing', { fields: missing.map(({ Name }) => spaced(Name)).join(', ') })}
        </Text>
      )}
      {saving.error && <Trouble error={saving.error} />}
      <Group justify="flex-end">
        <Button loading={saving.isPending} onClick={() => saving.mutate()}>
          {t('imports.map')}
        </Button>
      </Group>
    </Stack>
  )
}

interface KeyChoiceProps {
  readonly object: ObjectSeen
  readonly choices: Choices
  readonly onChange: (part: Partial<Choices>) => void
}

function KeyChoice({ object, choices, onChange }: KeyChoiceProps) {
  const { t } = useWords()
  const keys = keyFieldsOf(object, choices)
  return (
    <Group gap="sm" align="flex-end">
      <ModeSelect value={choices.mode} onChange={(mode) => onChange({ mode })} />
      {choices.mode !== 'create' && (
        <NativeSelect
          label={t('imports.keyField')}
          data={[{ value: '', label: '–' }, ...keys.map((name) => ({ value: name, label: spaced(name) }))]}
          value={choices.keyField ?? ''}
          onChange={(event) => onChange({ keyField: event.currentTarget.value || undefined })}
        />
      )}
      <Checkbox
        label={t('imports.past')}
        checked={choices.allowPastDates}
        onChange={(event) => onChange({ allowPastDates: event.currentTarget.checked })}
        mb={8}
      />
    </Group>
  )
}
