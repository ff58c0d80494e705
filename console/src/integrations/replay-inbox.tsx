/** Messages of a time are applied again; what they have done already is not done twice. */
import { Checkbox, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { INBOX_STATES, replayMessages, type InboxState } from '../api/integrations.ts'
import { Form } from '../shared/form.tsx'
import { utcMoment } from '../shared/moments.ts'
import { done } from '../shared/notify.ts'
import { useWords } from '../words/words.tsx'

export interface ReplayInboxProps {
  readonly integration: string
  readonly onDone: () => void
}

export function ReplayInbox({ integration, onDone }: ReplayInboxProps) {
  const { t, number } = useWords()
  const queries = useQueryClient()
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [states, setStates] = useState<InboxState[]>(['rejected'])
  const replaying = useMutation({
    mutationFn: () => {
      const [From = '', To] = [utcMoment(from), utcMoment(to)]
      return replayMessages(integration, { From, ...(To && { To }), States: states })
    },
    onSuccess: async (count) => {
      done(t('inbox.replayed', { count: number(count) }))
      await queries.invalidateQueries({ queryKey: ['inbox', integration] })
      onDone()
    },
  })
  const moment = (label: string, value: string, onChange: (value: string) => void, required: boolean) => (
    <TextInput
      type="datetime-local"
      step={1}
      label={label}
      required={required}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
  return (
    <Form sending={replaying} action={t('inbox.replayIt')} onCancel={onDone}>
      <Text size="sm">{t('inbox.replayText')}</Text>
      {moment(t('audit.from'), from, setFrom, true)}
      {moment(t('inbox.to'), to, setTo, false)}
      <Checkbox.Group label={t('inbox.inStates')} value={states} onChange={(next) => setStates(next)}>
        <Stack gap={6} mt={6}>
          {INBOX_STATES.map((state) => (
            <Checkbox key={state} value={state} label={t(`inboxState.${state}`)} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Form>
  )
}
