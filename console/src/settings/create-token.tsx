/** Create Token: a name, roles out of one's own, and how long it lasts. */
import { Button, Checkbox, Group, NumberInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useSession } from '../app/session.tsx'
import { createToken, type IssuedToken } from '../api/tokens.ts'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

const USUAL_DAYS = 90
const MOST_DAYS = 365

export interface CreateTokenProps {
  readonly onIssued: (token: IssuedToken) => void
  readonly onCancel: () => void
}

export function CreateToken({ onIssued, onCancel }: CreateTokenProps) {
  const { t } = useWords()
  const { me } = useSession()
  const [name, setName] = useState('')
  const [roles, setRoles] = useState<string[]>([])
  const [days, setDays] = useState<number | string>(USUAL_DAYS)
  // From one moment for all tries: the same request is one token.
  const [opened] = useState(Date.now)
  // A little less, or the clock that is a second behind refuses the longest.
  const until = (given: number) => new Date(opened + given * 86_400_000 - 5_000)
  const creating = useMutation({
    mutationFn: () => createToken(name.trim(), roles, until(Number(days))),
    onSuccess: onIssued,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creating.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t('tokens.name')}
          description={t('tokens.nameText')}
          required
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <Checkbox.Group
          label={t('tokens.roles')}
          description={t('tokens.rolesText')}
          value={roles}
          onChange={setRoles}
        >
          <Stack gap={6} mt={6}>
            {me.Roles.map((role) => (
              <Checkbox key={role} value={role} label={role} />
            ))}
          </Stack>
        </Checkbox.Group>
        <NumberInput
          label={t('tokens.days')}
          description={t('tokens.daysText')}
          required
          min={1}
          max={MOST_DAYS}
          allowDecimal={false}
          clampBehavior="strict"
          value={days}
          onChange={setDays}
        />
        {creating.error && <Trouble error={creating.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={creating.isPending}>
            {t('tokens.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
