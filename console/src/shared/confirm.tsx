/** Asks before what cannot be taken back; what goes wrong is shown where it was asked. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useWords } from '../words/words.tsx'
import { Trouble } from './trouble.tsx'

export interface ConfirmProps {
  readonly opened: boolean
  readonly title: string
  readonly text: ReactNode
  /** The word on the button that does it. */
  readonly action: string
  readonly run: () => Promise<unknown>
  readonly onClose: () => void
  readonly isDangerous?: boolean
  readonly children?: ReactNode
}

export function Confirm(props: ConfirmProps) {
  const { opened, title, text, action, run, onClose, isDangerous = true, children } = props
  const { t } = useWords()
  const doing = useMutation({ mutationFn: run, onSuccess: onClose })
  const close = () => {
    doing.reset()
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack gap="sm">
        <Text size="sm">{text}</Text>
        {children}
        {doing.error && <Trouble error={doing.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            {t('cancel')}
          </Button>
          <Button
            {...(isDangerous && { color: 'red.9' })}
            loading={doing.isPending}
            onClick={() => doing.mutate()}
            data-autofocus
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
