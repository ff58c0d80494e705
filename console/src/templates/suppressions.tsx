/** Addresses that are not written to: since they are not there, or their people have asked for it. */
import { Button, Group, Modal, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { addSuppression, removeSuppression, suppressionsQuery, type Suppression } from '../api/templates.ts'
import { Confirm } from '../shared/confirm.tsx'
import { Form } from '../shared/form.tsx'
import { EmailInput } from '../shared/inputs.tsx'
import { Listing } from '../shared/listing.tsx'
import { TurnPages } from '../shared/pages.tsx'
import { Time } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'

export interface SuppressionsProps {
  readonly page: string | undefined
  readonly onPage: (page: string | undefined) => void
}

export function Suppressions({ page, onPage }: SuppressionsProps) {
  const { t } = useWords()
  const queries = useQueryClient()
  const found = useQuery(suppressionsQuery(page))
  const [asked, setAsked] = useState<'add' | Suppression>()
  const close = () => setAsked(undefined)
  const refresh = () => queries.invalidateQueries({ queryKey: ['suppressions'] })
  return (
    <>
      <Group mb="xs">
        <Button size="xs" variant="default" onClick={() => setAsked('add')}>
          {t('suppressions.add')}
        </Button>
      </Group>
      <Listing
        label={t('templateTabs.suppressions')}
        query={{ ...found, data: found.data?.suppressions } as UseQueryResult<readonly Suppression[]>}
        nothing={t('suppressions.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          { title: t('signIn.email'), of: ({ Address }) => <span className="cell">{Address}</span> },
          {
            title: t('suppressions.category'),
            of: ({ Category }) => (Category === '*' ? t('suppressions.everything') : Category),
          },
          { title: t('record.reason'), of: ({ Reason }) => <span className="cell">{Reason ?? '–'}</span> },
          { title: t('users.since'), of: ({ CreatedAt }) => <Time at={CreatedAt} /> },
          {
            title: t('actions'),
            isQuiet: true,
            of: (one) => (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={t('suppressions.removeOf', { address: one.Address })}
                onClick={() => setAsked(one)}
              >
                {t('suppressions.remove')}
              </Button>
            ),
          },
        ]}
      />
      <TurnPages pagination={found.data?.pagination} onPage={onPage} />
      {typeof asked === 'object' && (
        <Confirm
          opened
          title={t('suppressions.remove')}
          text={t('suppressions.removeText', { address: asked.Address })}
          action={t('suppressions.remove')}
          run={async () => {
            await removeSuppression(asked.Id)
            await refresh()
          }}
          onClose={close}
        />
      )}
      <Modal
        opened={asked === 'add'}
        onClose={close}
        title={t('suppressions.add')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <AddSuppression onAdded={() => void refresh().then(close)} onCancel={close} />
      </Modal>
    </>
  )
}

interface AddSuppressionProps {
  readonly onAdded: () => void
  readonly onCancel: () => void
}

function AddSuppression({ onAdded, onCancel }: AddSuppressionProps) {
  const { t } = useWords()
  const [address, setAddress] = useState('')
  const [category, setCategory] = useState('')
  const adding = useMutation({
    mutationFn: () => addSuppression({ Address: address.trim(), Category: category.trim() || '*' }),
    onSuccess: onAdded,
  })
  return (
    <Form sending={adding} action={t('suppressions.add')} onCancel={onCancel}>
      <EmailInput label={t('signIn.email')} value={address} onChange={setAddress} />
      <TextInput
        label={t('suppressions.category')}
        description={t('suppressions.categoryText')}
        maxLength={60}
        value={category}
        onChange={(event) => setCategory(event.currentTarget.value)}
      />
    </Form>
  )
}
