/** A page: its title, what can be done on it, and its content. The title is the page's heading and the tab's name. */
import { Group, Loader, Stack, Text, Title } from '@mantine/core'
import { useEffect, type ReactNode } from 'react'
import { useWords } from '../words/words.tsx'

export interface PageProps {
  readonly title: string
  readonly text?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, text, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Daybook`
  }, [title])
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" gap="xs">
        <div>
          <Title order={1}>{title}</Title>
          {text && (
            <Text size="sm" c="dimmed" maw="70ch">
              {text}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}

export function PageLoading() {
  const { t } = useWords()
  return (
    <Group p="md" role="status">
      <Loader size="sm" aria-hidden />
      <Text size="sm">{t('loading')}</Text>
    </Group>
  )
}

/** Said where there is nothing, and why. */
export function Nothing({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" py="md">
      {children}
    </Text>
  )
}
