/** What went wrong, in words, with a way on. */
import { Alert, Button, Group, Text } from '@mantine/core'
import { ApiError } from '../api/request.ts'
import { useWords, type Words } from '../words/words.tsx'

export function messageOf(error: unknown, t: Words['t']): string {
  if (error instanceof ApiError) return error.message
  if (error instanceof TypeError) return t('trouble.unreachable')
  return error instanceof Error ? error.message : String(error)
}

export function Trouble({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { t } = useWords()
  const faults = error instanceof ApiError ? error.faults : []
  return (
    <Alert color="red" variant="light" role="alert" title={t('trouble.title')}>
      <Text size="sm">{messageOf(error, t)}</Text>
      {faults.length > 1 && (
        <ul>
          {faults.map(({ Field, Message }) => (
            <li key={`${Field} ${Message}`}>
              {Field && <b>{Field}: </b>}
              {Message}
            </li>
          ))}
        </ul>
      )}
      {error instanceof ApiError && error.requestId && (
        <Text size="xs" c="dimmed" mt={4}>
          {t('trouble.request', { id: error.requestId })}
        </Text>
      )}
      {onRetry && (
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('trouble.retry')}
          </Button>
        </Group>
      )}
    </Alert>
  )
}
