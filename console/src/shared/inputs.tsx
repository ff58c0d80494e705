/** The inputs that forms about people share. */
import { Checkbox, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useSession } from '../app/session.tsx'
import { useWords } from '../words/words.tsx'

export interface TextValue {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly description?: string
}

/** What a thing is called; the first input of its form. */
export function NameInput({ value, onChange, description }: TextValue) {
  const { t } = useWords()
  return (
    <TextInput
      label={t('tokens.name')}
      description={description}
      required
      maxLength={200}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus
    />
  )
}

export function EmailInput({ label, value, onChange }: TextValue & { readonly label: string }) {
  return (
    <TextInput
      label={label}
      type="email"
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

export interface NewPasswordProps extends TextValue {
  readonly label: string
  readonly required?: boolean
}

export function NewPassword({ label, description, required = true, value, onChange }: NewPasswordProps) {
  const { t } = useWords()
  return (
    <PasswordInput
      label={label}
      description={description}
      autoComplete="new-password"
      required={required}
      minLength={8}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': t('signIn.showPassword') }}
    />
  )
}

export interface RolesInputProps {
  readonly description: string
  readonly value: string[]
  readonly onChange: (roles: string[]) => void
}

/** Roles out of one's own: only those can be given. Those that are given otherwise stay. */
export function RolesInput({ description, value, onChange }: RolesInputProps) {
  const { t } = useWords()
  const { me } = useSession()
  const [given] = useState(value)
  return (
    <Checkbox.Group label={t('tokens.roles')} description={description} value={value} onChange={onChange}>
      <Stack gap={6} mt={6}>
        {[...new Set([...me.Roles, ...given])].map((role) => (
          <Checkbox key={role} value={role} label={role} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
