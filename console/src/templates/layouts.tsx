/** What stands around the bodies of templates: a letterhead, an imprint. */
import { Alert, Button, Group, Modal, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteLayout, layoutsQuery, saveLayout, type Layout } from '../api/layouts.ts'
import { Confirm } from '../shared/confirm.tsx'
import { Form } from '../shared/form.tsx'
import { NameInput } from '../shared/inputs.tsx'
import { Listing } from '../shared/listing.tsx'
import { done } from '../shared/notify.ts'
import { useWords } from '../words/words.tsx'

const CONTENT = '{{content}}'

type Asked =
  | { readonly what: 'write'; readonly layout: Layout | undefined }
  | { readonly what: 'delete'; readonly layout: Layout }

export function Layouts() {
  const { t } = useWords()
  const queries = useQueryClient()
  const layouts = useQuery(layoutsQuery)
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const refresh = () => queries.invalidateQueries({ queryKey: ['layouts'] })
  const title = asked?.layout ? t('layouts.change', { name: asked.layout.name }) : t('layouts.new')
  return (
    <>
      <Group mb="xs">
        <Button size="xs" variant="default" onClick={() => setAsked({ what: 'write', layout: undefined })}>
          {t('layouts.new')}
        </Button>
      </Group>
      <Listing
        label={t('templateTabs.layouts')}
        query={layouts}
        nothing={t('layouts.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          { title: t('tokens.name'), of: ({ name }) => name },
          { title: t('templates.version'), of: ({ version }) => version, isNumber: true },
          {
            title: t('actions'),
            isQuiet: true,
            of: (layout) => (
              <Group gap={4} wrap="nowrap">
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={t('layouts.change', { name: layout.name })}
                  onClick={() => setAsked({ what: 'write', layout })}
                >
                  {t('templateTab.edit')}
                </Button>
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={t('layouts.delete', { name: layout.name })}
                  onClick={() => setAsked({ what: 'delete', layout })}
                >
                  {t('record.delete')}
                </Button>
              </Group>
            ),
          },
        ]}
      />
      {asked?.what === 'delete' && (
        <Confirm
          opened
          title={t('record.delete')}
          text={t('layouts.deleteText', { name: asked.layout.name })}
          action={t('record.delete')}
          run={async () => {
            await deleteLayout(asked.layout)
            await refresh()
          }}
          onClose={close}
        />
      )}
      <Modal
        opened={asked?.what === 'write'}
        onClose={close}
        title={title}
        size="lg"
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <LayoutForm
          layout={asked?.layout}
          onSaved={() => {
            done(t('record.saved'))
            return refresh()
          }}
          onClose={close}
        />
      </Modal>
    </>
  )
}

interface LayoutFormProps {
  /** Undefined: a new one. */
  readonly layout: Layout | undefined
  readonly onSaved: () => Promise<unknown>
  readonly onClose: () => void
}

function LayoutForm({ layout, onSaved, onClose }: LayoutFormProps) {
  const { t } = useWords()
  const [stored, setStored] = useState(layout)
  const [name, setName] = useState(layout?.name ?? '')
  const [body, setBody] = useState(layout?.body ?? `<div>${CONTENT}</div>`)
  const saving = useMutation({
    mutationFn: () => saveLayout({ name: name.trim(), body }, stored),
    onSuccess: async (saved) => {
      setStored(saved.layout)
      await onSaved()
      // What is warned of has to be seen.
      if (saved.warnings.length === 0) onClose()
    },
  })
  return (
    <Form sending={saving} action={t('record.save')} onCancel={onClose}>
      <NameInput value={name} onChange={setName} />
      <Textarea
        label={t('templates.body')}
        description={t('layouts.bodyText', { tag: CONTENT })}
        required
        autosize
        minRows={8}
        maxRows={24}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={body}
        onChange={(event) => setBody(event.currentTarget.value)}
      />
      {saving.data?.warnings.map(({ Field, Message }) => (
        <Alert key={`${Field} ${Message}`} color="yellow" variant="light" role="status">
          <b>{Field}: </b>
          {Message}
        </Alert>
      ))}
    </Form>
  )
}
