/** A form in a dialog: its fields, what went wrong when it was sent, and the two ways out of it. */
import { Button, Group, Stack } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useWords } from '../words/words.tsx'
import { Trouble } from './trouble.tsx'

export interface FormProps<T> {
  /** What sending the form does. */
  readonly sending: UseMutationResult<T, Error, void>
  /** The word on the button that sends it. */
  readonly action: string
  readonly onCancel: () => void
  readonly children: ReactNode
}

export function Form<T>({ sending, action, onCancel, children }: FormProps<T>) {
  const { t } = useWords()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        sending.mutate()
      }}
    >
      <Stack gap="sm">
        {children}
        {sending.error && <Trouble error={sending.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={sending.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
