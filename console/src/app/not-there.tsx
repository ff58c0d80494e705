/** A page that is not there, and one that failed. */
import { Anchor, Stack, Text, Title } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { Go } from './go.tsx'

export function NotThere() {
  const { t } = useWords()
  return (
    <Stack>
      <Title order={1}>{t('notThere.title')}</Title>
      <Text>{t('notThere.text')}</Text>
      <Anchor component={Go} to="/">
        {t('notThere.home')}
      </Anchor>
    </Stack>
  )
}

export function PageTrouble({ error, reset }: ErrorComponentProps) {
  return <Trouble error={error} onRetry={reset} />
}
