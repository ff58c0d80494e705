/** The companies of the service, for operators: made, suspended, let in again. */
import { Badge, Button, Modal } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeCompany, companiesQuery, createCompany, type Company } from '../api/people.ts'
import { Confirm } from '../shared/confirm.tsx'
import { Form } from '../shared/form.tsx'
import { EmailInput, NameInput, NewPassword } from '../shared/inputs.tsx'
import { Listing } from '../shared/listing.tsx'
import { Page } from '../shared/page.tsx'
import { Time } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'

export function CompaniesPage() {
  const { t } = useWords()
  const queries = useQueryClient()
  const companies = useQuery(companiesQuery)
  const [asked, setAsked] = useState<'new' | Company>()
  const close = () => setAsked(undefined)
  const refresh = () => queries.invalidateQueries({ queryKey: companiesQuery.queryKey })
  return (
    <Page
      title={t('companies.title')}
      text={t('companies.text')}
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAsked('new')}>
          {t('companies.create')}
        </Button>
      }
    >
      <Listing
        label={t('companies.title')}
        query={companies}
        nothing={t('companies.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          { title: t('tokens.name'), of: ({ Name }) => Name },
          { title: t('companies.key'), of: ({ Id }) => <span className="cell">{Id}</span> },
          {
            title: t('companies.timeout'),
            of: ({ SessionTimeoutMinutes }) => SessionTimeoutMinutes,
            isNumber: true,
          },
          {
            title: t('users.state'),
            of: ({ IsSuspended }) => (
              <Badge variant="dot" color={IsSuspended ? 'red' : 'teal'}>
                {IsSuspended ? t('companies.suspended') : t('users.active')}
              </Badge>
            ),
          },
          { title: t('users.since'), of: ({ CreatedAt }) => <Time at={CreatedAt} /> },
          {
            title: t('actions'),
            isQuiet: true,
            of: (company) => (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={t(company.IsSuspended ? 'companies.letInOf' : 'companies.suspendOf', {
                  name: company.Name,
                })}
                onClick={() => setAsked(company)}
              >
                {company.IsSuspended ? t('companies.letIn') : t('companies.suspend')}
              </Button>
            ),
          },
        ]}
      />
      {typeof asked === 'object' && (
        <Confirm
          opened
          isDangerous={!asked.IsSuspended}
          title={asked.IsSuspended ? t('companies.letIn') : t('companies.suspend')}
          text={
            asked.IsSuspended
              ? t('companies.letInText', { name: asked.Name })
              : t('companies.suspendText', { name: asked.Name })
          }
          action={asked.IsSuspended ? t('companies.letIn') : t('companies.suspend')}
          run={async () => {
            await changeCompany(asked.Id, { IsSuspended: !asked.IsSuspended })
            await refresh()
          }}
          onClose={close}
        />
      )}
      <Modal
        opened={asked === 'new'}
        onClose={close}
        title={t('companies.create')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <CompanyForm onSaved={() => void refresh().then(close)} onCancel={close} />
      </Modal>
    </Page>
  )
}

function CompanyForm({ onSaved, onCancel }: { readonly onSaved: () => void; readonly onCancel: () => void }) {
  const { t } = useWords()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const saving = useMutation({
    mutationFn: () => createCompany({ Name: name.trim(), AdminEmail: email.trim(), AdminPassword: password }),
    onSuccess: onSaved,
  })
  return (
    <Form sending={saving} action={t('companies.create')} onCancel={onCancel}>
      <NameInput value={name} onChange={setName} />
      <EmailInput label={t('companies.adminEmail')} value={email} onChange={setEmail} />
      <NewPassword label={t('companies.adminPassword')} value={password} onChange={setPassword} />
    </Form>
  )
}
