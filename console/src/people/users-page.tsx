/** The people who can sign in, and their roles. */
import { Badge, Button, Group, Modal, Switch } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Go } from '../app/go.tsx'
import { saveUser, usersQuery, type User } from '../api/people.ts'
import { Form } from '../shared/form.tsx'
import { EmailInput, NameInput, NewPassword, RolesInput } from '../shared/inputs.tsx'
import { Listing } from '../shared/listing.tsx'
import { done } from '../shared/notify.ts'
import { Page } from '../shared/page.tsx'
import { Time } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'

export function UsersPage() {
  const { t } = useWords()
  const queries = useQueryClient()
  const users = useQuery(usersQuery)
  const [asked, setAsked] = useState<'new' | User>()
  const close = () => setAsked(undefined)
  return (
    <Page
      title={t('users.title')}
      text={t('users.text')}
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAsked('new')}>
          {t('users.create')}
        </Button>
      }
    >
      <Listing
        label={t('users.title')}
        query={users}
        nothing={t('users.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          {
            title: t('tokens.name'),
            of: ({ Id, Name }) => (
              <Go to={`/settings/users/${Id}`} className="value-link">
                {Name}
              </Go>
            ),
          },
          { title: t('signIn.email'), of: ({ Email }) => <span className="cell">{Email}</span> },
          {
            title: t('tokens.roles'),
            of: ({ Roles }) => (
              <Group gap={4}>
                {Roles.map((role) => (
                  <Badge key={role} variant="default">
                    {role}
                  </Badge>
                ))}
              </Group>
            ),
          },
          {
            title: t('users.state'),
            of: ({ IsActive }) => (
              <Badge variant="dot" color={IsActive ? 'teal' : 'gray'}>
                {IsActive ? t('users.active') : t('users.inactive')}
              </Badge>
            ),
          },
          { title: t('users.since'), of: ({ CreatedAt }) => <Time at={CreatedAt} /> },
          {
            title: t('actions'),
            isQuiet: true,
            of: (user) => (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={t('users.editOf', { name: user.Name })}
                onClick={() => setAsked(user)}
              >
                {t('record.edit')}
              </Button>
            ),
          },
        ]}
      />
      <Modal
        opened={asked !== undefined}
        onClose={close}
        title={asked === 'new' ? t('users.create') : asked?.Name}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {asked !== undefined && (
          <UserForm
            user={asked === 'new' ? undefined : asked}
            onCancel={close}
            onSaved={async () => {
              done(t('record.saved'))
              await queries.invalidateQueries({ queryKey: usersQuery.queryKey })
              close()
            }}
          />
        )}
      </Modal>
    </Page>
  )
}

interface UserFormProps {
  readonly user: User | undefined
  readonly onSaved: () => unknown
  readonly onCancel: () => void
}

function UserForm({ user, onSaved, onCancel }: UserFormProps) {
  const { t } = useWords()
  const [name, setName] = useState(user?.Name ?? '')
  const [email, setEmail] = useState(user?.Email ?? '')
  const [password, setPassword] = useState('')
  const [roles, setRoles] = useState<string[]>([...(user?.Roles ?? [])])
  const [isActive, setActive] = useState(user?.IsActive ?? true)
  const saving = useMutation({
    mutationFn: () => {
      const body = { Name: name.trim(), Email: email.trim(), ...(password !== '' && { Password: password }) }
      const hadRoles = JSON.stringify([...(user?.Roles ?? [])].sort())
      const sent = user && JSON.stringify([...roles].sort()) === hadRoles ? {} : { Roles: roles }
      return saveUser(user?.Id, { ...body, ...sent, ...(user && { IsActive: isActive }) })
    },
    onSuccess: onSaved,
  })
  return (
    <Form sending={saving} action={t('record.save')} onCancel={onCancel}>
      <NameInput value={name} onChange={setName} />
      <EmailInput label={t('signIn.email')} value={email} onChange={setEmail} />
      <NewPassword
        label={t('signIn.password')}
        description={user ? t('users.passwordText') : t('users.newPasswordText')}
        required={!user}
        value={password}
        onChange={setPassword}
      />
      <RolesInput description={t('users.rolesText')} value={roles} onChange={setRoles} />
      {user && (
        <Switch
          label={t('users.active')}
          checked={isActive}
          onChange={(event) => setActive(event.currentTarget.checked)}
        />
      )}
    </Form>
  )
}
