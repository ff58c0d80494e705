/** How an integration is set up: where the other system sends to, its credentials, each of which can be set or rotated. */
import {
  Anchor,
  Button,
  Code,
  CopyButton,
  Group,
  Modal,
  PasswordInput,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  changeIntegration,
  rotateCredential,
  type Integration,
  type IntegrationFile,
} from '../api/integrations.ts'
import { useSeen } from '../api/objects.ts'
import { API } from '../app/base.ts'
import { Go } from '../app/go.tsx'
import { Form } from '../shared/form.tsx'
import { Rows } from '../shared/listing.tsx'
import { spaced } from '../shared/names.ts'
import { done } from '../shared/notify.ts'
import { Time } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'

export interface SetUpDetailsProps {
  readonly integration: Integration
  readonly file: IntegrationFile | undefined
}

export function SetUpDetails({ integration, file }: SetUpDetailsProps) {
  const { t } = useWords()
  const [asked, setAsked] = useState<string>()
  const close = () => setAsked(undefined)
  const setOf = (name: string) => integration.CredentialsSet?.find(({ Name }) => Name === name)
  const settings = Object.entries(integration.Settings ?? {})
  const addresses = addressesOf(integration.Id, file, t('setUp.scim'))
  return (
    <Stack gap="sm">
      {addresses.length > 0 && <Title order={2}>{t('setUp.addresses')}</Title>}
      {addresses.map((one) => (
        <Address key={one.path} {...one} />
      ))}
      {file?.Scim && <ScimServer integration={integration.Id} scim={file.Scim} />}
      <Title order={2}>{t('setUp.credentials')}</Title>
      <Rows
        label={t('setUp.credentials')}
        rows={file?.Credentials ?? []}
        nothing={t('setUp.noCredentials')}
        keyOf={({ Name }) => Name}
        columns={[
          {
            title: t('tokens.name'),
            of: ({ Name, Description }) => (
              <>
                {Name}
                <span className="aside">{Description}</span>
              </>
            ),
          },
          {
            title: t('setUp.since'),
            of: ({ Name, Required }) =>
              setOf(Name) ? <Time at={setOf(Name)?.SetAt} /> : t(Required ? 'setUp.missing' : 'setUp.none'),
          },
          { title: t('setUp.previous'), of: ({ Name }) => <Time at={setOf(Name)?.PreviousUntil} /> },
          {
            title: t('actions'),
            isQuiet: true,
            of: ({ Name }) => (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`${t(setOf(Name) ? 'setUp.rotate' : 'setUp.set')}: ${Name}`}
                onClick={() => setAsked(Name)}
              >
                {t(setOf(Name) ? 'setUp.rotate' : 'setUp.set')}
              </Button>
            ),
          },
        ]}
      />
      {settings.length > 0 && (
        <>
          <Title order={2}>{t('setUp.settings')}</Title>
          <dl className="facts">
            {settings.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{String(value)}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <Modal
        opened={asked !== undefined}
        onClose={close}
        title={asked}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {asked !== undefined && (
          <SetCredential
            integration={integration.Id}
            name={asked}
            isNew={setOf(asked) === undefined}
            onDone={close}
          />
        )}
      </Modal>
    </Stack>
  )
}

interface AddressProps {
  readonly name: string
  readonly text: string
  /** Below that of the API. */
  readonly path: string
}

function addressesOf(integration: string, file: IntegrationFile | undefined, scim: string): AddressProps[] {
  const entries = (file?.Receives ?? []).map(({ Name, Description, IsForm }) => ({
    name: Name,
    text: Description ?? Name,
    path: IsForm ? `forms/${integration}` : `in/${integration}/${Name}`,
  }))
  return file?.Scim ? [...entries, { name: 'SCIM', text: scim, path: `scim/v2/${integration}` }] : entries
}

function Address({ name, text, path }: AddressProps) {
  const { t } = useWords()
  const address = new URL(`${API}/${path}`, location.href).href
  return (
    <div>
      <Text size="sm">{text}</Text>
      <Group gap="xs">
        <Code className="address">{address}</Code>
        <CopyButton value={address}>
          {({ copied, copy }) => (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`${t(copied ? 'secret.copied' : 'secret.copy')}: ${name}`}
              onClick={copy}
            >
              {t(copied ? 'secret.copied' : 'secret.copy')}
            </Button>
          )}
        </CopyButton>
      </Group>
    </div>
  )
}

interface ScimServerProps {
  readonly integration: string
  readonly scim: NonNullable<IntegrationFile['Scim']>
}

function ScimServer({ integration, scim: { Object: object, Credential: credential } }: ScimServerProps) {
  const { t } = useWords()
  const seen = useSeen()
  const name = seen?.Objects.find((one) => one.Object === object)?.Name ?? object
  return (
    <Text size="sm">
      {t('setUp.scimText', { object: spaced(name), credential })}{' '}
      {seen?.Actions.includes('audit') && (
        <Anchor component={Go} to="/audit" search={{ actor: integration }} inherit underline="always">
          {t('setUp.scimChanges')}
        </Anchor>
      )}
    </Text>
  )
}

interface SetCredentialProps {
  readonly integration: string
  readonly name: string
  /** It has had no value: there is none to stay valid for a while. */
  readonly isNew: boolean
  readonly onDone: () => void
}

function SetCredential({ integration, name, isNew, onDone }: SetCredentialProps) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [value, setValue] = useState('')
  const setting = useMutation({
    mutationFn: () =>
      isNew
        ? changeIntegration(integration, { Credentials: { [name]: value } })
        : rotateCredential(integration, name, value),
    onSuccess: async () => {
      done(t('record.saved'))
      await queries.invalidateQueries({ queryKey: ['integration', integration] })
      onDone()
    },
  })
  return (
    <Form sending={setting} action={t('record.save')} onCancel={onDone}>
      <PasswordInput
        label={t('setUp.value')}
        description={t(isNew ? 'setUp.valueText' : 'setUp.rotateText')}
        required
        autoComplete="off"
        maxLength={8_192}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': t('integrations.showValue', { name }) }}
        data-autofocus
      />
    </Form>
  )
}
