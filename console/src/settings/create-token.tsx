/** Create Token: a name, roles out of one's own, and how long it lasts. */
import { NumberInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { createToken, type IssuedToken } from '../api/tokens.ts'
import { Form } from '../shared/form.tsx'
import { NameInput, RolesInput } from '../shared/inputs.tsx'
import { useWords } from '../words/words.tsx'

const USUAL_DAYS = 90
const MOST_DAYS = 365

export interface CreateTokenProps {
  readonly onIssued: (token: IssuedToken) => void
  readonly onCancel: () => void
}

export function CreateToken({ onIssued, onCancel }: CreateTokenProps) {
  const { t } = useWords()
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
  return (
    <Form sending={creating} action={t('tokens.create')} onCancel={onCancel}>
      <NameInput description={t('tokens.nameText')} value={name} onChange={setName} />
      <RolesInput description={t('tokens.rolesText')} value={roles} onChange={setRoles} />
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
    </Form>
  )
}
