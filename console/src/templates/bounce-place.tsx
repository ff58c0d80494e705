/** Where mail servers and providers report mails that came back: shown when asked for, for who knows it can report. */
import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { bouncePlaceQuery } from '../api/layouts.ts'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

export function BouncePlace() {
  const { t } = useWords()
  const place = useQuery(bouncePlaceQuery)
  return (
    <Stack gap="xs" mt="md">
      <Text size="sm">{t('bounces.text')}</Text>
      {place.error && <Trouble error={place.error} />}
      {place.data ? (
        <Code
          block
          aria-label={t('bounces.place')}
          style={{ wordBreak: 'break-all', whiteSpace: 'pre-wrap' }}
        >
          {place.data.url ?? place.data.path}
        </Code>
      ) : (
        <Group>
          <Button size="xs" variant="default" loading={place.isFetching} onClick={() => void place.refetch()}>
            {t('bounces.show')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
