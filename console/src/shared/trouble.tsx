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
  // The sign-in shows over the page.
  if (error instanceof ApiError && error.status === 401) return null
  const said = messageOf(error, t)
  // Where there is one only, the message mostly says it already.
  const faults =
    error instanceof ApiError ? error.faults.filter(({ Message }) => !said.includes(Message)) : []
  return (
    <Alert color="red" variant="light" role="alert" title={t('trouble.title')}>
      <Text size="sm">{said}</Text>
      {faults.length > 0 && (
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
