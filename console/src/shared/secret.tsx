/** A secret that is shown this once: to be copied now. */
import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useWords } from '../words/words.tsx'

export interface SecretProps {
  readonly title: string
  readonly value: string
  readonly onDone: () => void
}

export function Secret({ title, value, onDone }: SecretProps) {
  const { t } = useWords()
  return (
    <Stack gap="sm">
      <Alert color="yellow" variant="light" title={title}>
        <Text size="sm">{t('secret.once')}</Text>
      </Alert>
      <Code
        block
        aria-label={title}
        data-testid="secret"
        style={{ wordBreak: 'break-all', whiteSpace: 'pre-wrap' }}
      >
        {value}
      </Code>
      <Group justify="flex-end" gap="xs">
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              data-autofocus
            >
              {copied ? t('secret.copied') : t('secret.copy')}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onDone}>{t('secret.done')}</Button>
      </Group>
    </Stack>
  )
}
