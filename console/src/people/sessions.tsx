/** Where a user is signed in. Each session can be ended, at once and everywhere. */
import { Badge, Button, Group, Stack, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { endSession, sessionsQuery, type SessionOpen } from '../api/people.ts'
import { Confirm } from '../shared/confirm.tsx'
import { Listing } from '../shared/listing.tsx'
import { done } from '../shared/notify.ts'
import { Time, timeText } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'

export function Sessions({ user }: { readonly user: string }) {
  const { t, language } = useWords()
  const queries = useQueryClient()
  const query = sessionsQuery(user)
  const sessions = useQuery(query)
  const [asked, setAsked] = useState<SessionOpen>()
  return (
    <Stack gap="xs">
      <Title order={2}>{t('sessions.title')}</Title>
      <Listing
        label={t('sessions.title')}
        query={sessions}
        nothing={t('sessions.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          {
            title: t('sessions.began'),
            of: ({ CreatedAt, IsCurrent }) => (
              <Group gap="xs">
                <Time at={CreatedAt} />
                {IsCurrent && (
                  <Badge className="state" variant="default">
                    {t('sessions.current')}
                  </Badge>
                )}
              </Group>
            ),
          },
          {
            title: t('sessions.ends'),
            of: ({ ExpiresAt }) => (ExpiresAt ? <Time at={ExpiresAt} /> : t('sessions.whileUsed')),
          },
          {
            title: t('actions'),
            isQuiet: true,
            of: (session) =>
              session.IsCurrent ? null : (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={t('sessions.endOf', { began: timeText(session.CreatedAt, language) })}
                  onClick={() => setAsked(session)}
                >
                  {t('sessions.end')}
                </Button>
              ),
          },
        ]}
      />
      <Confirm
        opened={asked !== undefined}
        title={t('sessions.end')}
        text={t('sessions.endText')}
        action={t('sessions.end')}
        run={async () => {
          await endSession(user, asked!.Id)
          done(t('sessions.ended'))
          await queries.invalidateQueries({ queryKey: query.queryKey })
        }}
        onClose={() => setAsked(undefined)}
      />
    </Stack>
  )
}
