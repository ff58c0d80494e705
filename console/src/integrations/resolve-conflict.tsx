/** Both values of each field in conflict, and the choice whose holds; nothing is chosen beforehand. */
import { Radio, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { resolveConflict, type ConflictMessage, type Side } from '../api/integration-syncs.ts'
import { Form } from '../shared/form.tsx'
import { done } from '../shared/notify.ts'
import { useWords } from '../words/words.tsx'
import { namesOf } from './conflict-fields.ts'

export interface ResolveConflictProps {
  readonly integration: string
  readonly conflict: ConflictMessage
  readonly onDone: () => void
}

const SIDES: readonly Side[] = ['ours', 'theirs']

export function ResolveConflict({ integration, conflict, onDone }: ResolveConflictProps) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [take, setTake] = useState<Readonly<Record<string, Side>>>({})
  const names = namesOf(conflict.Records)
  const resolving = useMutation({
    mutationFn: () => resolveConflict(integration, conflict.Id, take),
    onSuccess: async () => {
      done(t('conflicts.done'))
      onDone()
      await queries.invalidateQueries({ queryKey: ['inbox', integration] })
    },
  })
  const valuesOf = (name: string, side: Side) =>
    conflict.Records.flatMap(({ Fields }) => Fields.filter(({ Field }) => Field === name))
      .map(({ Ours, Theirs }) => shown(side === 'ours' ? Ours : Theirs))
      .join(', ')
  return (
    <Form sending={resolving} action={t('conflicts.resolve')} onCancel={onDone}>
      <Text size="sm">{t('conflicts.text')}</Text>
      {names.map((name) => (
        <Radio.Group
          key={name}
          label={name}
          value={take[name] ?? null}
          onChange={(side) => {
            resolving.reset()
            setTake({ ...take, [name]: side })
          }}
        >
          <Stack gap={4} mt={4}>
            {SIDES.map((side) => (
              <Radio
                key={side}
                value={side}
                label={t(`conflictSide.${side}`, { value: valuesOf(name, side) })}
              />
            ))}
          </Stack>
        </Radio.Group>
      ))}
    </Form>
  )
}

const shown = (value: unknown): string =>
  value === null || value === '' ? '–' : typeof value === 'string' ? value : JSON.stringify(value)
