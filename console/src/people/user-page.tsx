/** A user: who they are, what they may do and why, and where they are signed in. What is asked stands in the address. */
import { Anchor, Badge, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Go, useGo, usePathNames } from '../app/go.tsx'
import type { Search } from '../app/search.ts'
import { userQuery } from '../api/people.ts'
import { Page, PageLoading } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { Rights } from './rights.tsx'
import { Sessions } from './sessions.tsx'

export function UserPage() {
  const { t } = useWords()
  const go = useGo()
  const { key = '' } = usePathNames()
  const { object, record }: Search = useSearch({ strict: false })
  const user = useQuery(userQuery(key))
  if (user.error) return <Trouble error={user.error} onRetry={() => void user.refetch()} />
  if (!user.data) return <PageLoading />
  const { Name, Email, Roles, IsActive } = user.data
  return (
    <Page
      title={Name}
      text={
        <>
          <Anchor component={Go} to="/settings/users" inherit underline="always">
            {t('users.title')}
          </Anchor>{' '}
          · {Email}
        </>
      }
    >
      <Group gap={4}>
        <Badge variant="dot" color={IsActive ? 'teal' : 'gray'}>
          {IsActive ? t('users.active') : t('users.inactive')}
        </Badge>
        {Roles.map((role) => (
          <Badge key={role} variant="default">
            {role}
          </Badge>
        ))}
      </Group>
      <Rights
        user={key}
        object={object}
        recordKey={record}
        onAsk={(nextObject, nextRecord) =>
          go(`/settings/users/${key}`, { search: { object: nextObject, record: nextRecord }, replace: true })
        }
      />
      <Sessions user={key} />
    </Page>
  )
}
