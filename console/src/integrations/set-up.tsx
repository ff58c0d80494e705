/** An integration is set up: which one, by what name and role, with which credentials and settings. */
import { NativeSelect, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  filesQuery,
  integrationsQuery,
  setUpIntegration,
  type Integration,
  type IntegrationFile,
} from '../api/integrations.ts'
import { useSession } from '../app/session.tsx'
import { Form } from '../shared/form.tsx'
import { PageLoading } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

/** The role that the service gives where none is said. */
const USUAL_ROLE = 'integration'

export interface SetUpProps {
  readonly onCancel: () => void
  readonly onDone: (made: Integration) => void
}

export function SetUpIntegration(props: SetUpProps) {
  const files = useQuery(filesQuery)
  const [chosen, setChosen] = useState<string>()
  const { t } = useWords()
  if (files.error) return <Trouble error={files.error} onRetry={() => void files.refetch()} />
  if (!files.data) return <PageLoading />
  const file = files.data.find(({ Definition }) => Definition === chosen) ?? files.data[0]
  if (!file) return <Text size="sm">{t('integrations.noFiles')}</Text>
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t('integrations.system')}
        description={file.Description}
        data={files.data.map(({ Definition, Title }) => ({ value: Definition, label: Title }))}
        value={file.Definition}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data-autofocus
      />
      <OneSetUp key={file.Definition} file={file} {...props} />
    </Stack>
  )
}

function OneSetUp({ file, onCancel, onDone }: SetUpProps & { readonly file: IntegrationFile }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const { me } = useSession()
  const [name, setName] = useState(file.Title)
  const [role, setRole] = useState('')
  const [credentials, setCredentials] = useState<Texts>({})
  const [settings, setSettings] = useState<Texts>({})
  const making = useMutation({
    mutationFn: () =>
      setUpIntegration({
        Definition: file.Definition,
        Name: name.trim(),
        ...(role && { RunAs: role }),
        Credentials: filled(credentials),
        Settings: filled(settings),
      }),
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: integrationsQuery.queryKey })
      onDone(made)
    },
  })
  return (
    <Form sending={making} action={t('integrations.setUp')} onCancel={onCancel}>
      <TextInput
        label={t('tokens.name')}
        description={t('integrations.nameText')}
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <CredentialInputs file={file} values={credentials} onChange={setCredentials} />
      {file.Settings.map((setting) => (
        <TextInput
          key={setting.Name}
          label={setting.Name}
          description={setting.Description}
          placeholder={setting.Default === null ? undefined : String(setting.Default)}
          value={settings[setting.Name] ?? ''}
          onChange={({ currentTarget: { value } }) => setSettings({ ...settings, [setting.Name]: value })}
        />
      ))}
      <NativeSelect
        label={t('integrations.runAs')}
        description={t('integrations.runAsText')}
        data={[
          { value: '', label: USUAL_ROLE },
          ...me.Roles.filter((one) => one !== USUAL_ROLE).map((one) => ({ value: one, label: one })),
        ]}
        value={role}
        onChange={(event) => setRole(event.currentTarget.value)}
      />
    </Form>
  )
}

export type Texts = Readonly<Record<string, string>>

export const filled = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''))

interface CredentialInputsProps {
  readonly file: IntegrationFile
  readonly values: Texts
  readonly onChange: (values: Texts) => void
}

/** They are sealed, and never shown again: what is empty stays as it is. */
function CredentialInputs({ file, values, onChange }: CredentialInputsProps) {
  const { t } = useWords()
  return file.Credentials.map(({ Name, Description, Required }) => (
    <PasswordInput
      key={Name}
      label={Required ? Name : t('integrations.optional', { name: Name })}
      description={Description}
      autoComplete="off"
      maxLength={8_192}
      value={values[Name] ?? ''}
      onChange={({ currentTarget: { value } }) => onChange({ ...values, [Name]: value })}
      visibilityToggleButtonProps={{ 'aria-label': t('integrations.showValue', { name: Name }) }}
    />
  ))
}
