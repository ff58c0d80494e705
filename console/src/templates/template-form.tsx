/** What a mail says, when, and in which language; the tags that stand for values of its record. */
import { Alert, Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState, type FormEvent } from 'react'
import { layoutsQuery } from '../api/layouts.ts'
import { useSeen, type ObjectSeen } from '../api/objects.ts'
import {
  saveTemplate,
  triggersQuery,
  type Stored,
  type Template,
  type TemplateTexts,
  type Warning,
} from '../api/templates.ts'
import { NameInput } from '../shared/inputs.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

const EMPTY: TemplateTexts = {
  name: '',
  trigger: '',
  locale: 'en',
  subject: '',
  body: '',
  text: null,
  layout: null,
}

export interface TemplateFormProps {
  /** Undefined: a new one. */
  readonly template: Template | undefined
  readonly onSaved: (stored: Stored) => unknown
}

export function TemplateForm({ template, onSaved }: TemplateFormProps) {
  const { t } = useWords()
  const triggers = useQuery(triggersQuery).data ?? []
  const [texts, setTexts] = useState<TemplateTexts>(template ?? EMPTY)
  const [warnings, setWarnings] = useState<readonly Warning[]>([])
  const set = (part: Partial<TemplateTexts>) => setTexts((now) => ({ ...now, ...part }))
  const saving = useMutation({
    mutationFn: () => {
      const { name, trigger, locale, subject, body, text, layout } = texts
      return saveTemplate(
        { name: name.trim(), trigger, locale: locale.trim(), subject, body, text, layout },
        template,
      )
    },
    onSuccess: (stored) => {
      setWarnings(stored.warnings)
      return onSaved(stored)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate()
  }
  const object = triggers.find(({ trigger }) => trigger === texts.trigger)?.object
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <NameInput value={texts.name} onChange={(name) => set({ name })} />
        <Group gap="sm" grow>
          <NativeSelect
            label={t('templates.trigger')}
            required
            data={[
              { value: '', label: '–' },
              ...[...new Set([...triggers.map(({ trigger }) => trigger), texts.trigger])].filter(Boolean),
            ]}
            value={texts.trigger}
            onChange={(event) => set({ trigger: event.currentTarget.value })}
          />
          <TextInput
            label={t('templates.locale')}
            required
            maxLength={20}
            value={texts.locale}
            onChange={(event) => set({ locale: event.currentTarget.value })}
          />
        </Group>
        <TextInput
          label={t('templates.subject')}
          required
          maxLength={1_000}
          value={texts.subject}
          onChange={(event) => set({ subject: event.currentTarget.value })}
        />
        <BodyInput value={texts.body} object={object} onChange={(body) => set({ body })} />
        <LayoutSelect value={texts.layout} onChange={(layout) => set({ layout })} />
        <Textarea
          label={t('templates.plainText')}
          description={t('templates.plainTextText')}
          autosize
          minRows={2}
          maxRows={10}
          value={texts.text ?? ''}
          onChange={(event) => set({ text: event.currentTarget.value || null })}
        />
        {warnings.map(({ Field, Message }) => (
          <Alert key={`${Field} ${Message}`} color="yellow" variant="light" role="status">
            <b>{Field}: </b>
            {Message}
          </Alert>
        ))}
        {saving.error && <Trouble error={saving.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={saving.isPending}>
            {t('record.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface LayoutSelectProps {
  readonly value: string | null
  readonly onChange: (layout: string | null) => void
}

/** Nothing where there are no layouts to choose from. */
function LayoutSelect({ value, onChange }: LayoutSelectProps) {
  const { t } = useWords()
  const layouts = useQuery(layoutsQuery).data ?? []
  if (layouts.length === 0 && value === null) return null
  const known = layouts.map(({ Id, name }) => ({ value: Id, label: name }))
  const missing = value !== null && !layouts.some(({ Id }) => Id === value)
  return (
    <NativeSelect
      maw={320}
      label={t('templates.layout')}
      data={[{ value: '', label: '–' }, ...known, ...(missing ? [value] : [])]}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || null)}
    />
  )
}

interface BodyInputProps {
  readonly value: string
  /** Of the trigger; undefined, or `*`: its tags are not known. */
  readonly object: string | undefined
  readonly onChange: (body: string) => void
}

/** The HTML, and a list of tags that are put in where the cursor is. */
function BodyInput({ value, object, onChange }: BodyInputProps) {
  const { t } = useWords()
  const objects = useSeen()?.Objects ?? []
  const input = useRef<HTMLTextAreaElement>(null)
  const tags = tagsOf(objects, object)
  const insert = (tag: string) => {
    const { selectionStart = value.length, selectionEnd = value.length } = input.current ?? {}
    onChange(`${value.slice(0, selectionStart)}{{${tag}}}${value.slice(selectionEnd)}`)
    input.current?.focus()
  }
  return (
    <>
      <Textarea
        ref={input}
        label={t('templates.body')}
        required
        autosize
        minRows={8}
        maxRows={24}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {tags.length > 0 && (
        <NativeSelect
          size="xs"
          maw={320}
          label={t('templates.insert')}
          data={[{ value: '', label: '–' }, ...tags]}
          value=""
          onChange={(event) => event.currentTarget.value && insert(event.currentTarget.value)}
        />
      )}
    </>
  )
}

/** Fields of the object, and of those that it looks up. */
function tagsOf(objects: readonly ObjectSeen[], name: string | undefined): readonly string[] {
  const named = (one: string | null | undefined) => objects.find(({ Object }) => Object === one)
  return (named(name)?.Fields ?? []).flatMap(({ Name, Type, Target }) => [
    Name,
    ...(Type === 'lookup' ? (named(Target)?.Fields ?? []).map((inner) => `${Name}.${inner.Name}`) : []),
    ...(Type === 'money' ? [`${Name}.Amount`, `${Name}.Currency`] : []),
  ])
}
