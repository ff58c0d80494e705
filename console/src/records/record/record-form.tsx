/** The form of a record, made from its definition; nothing is sent before Save. */
import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useEffect, useState, type FormEvent, type ReactNode } from 'react'
import type { Field, ObjectSeen } from '../../api/objects.ts'
import { ApiError } from '../../api/request.ts'
import type { Json } from '../../api/records.ts'
import { draftOf, keepDraft, type Draft } from '../../shared/drafts.ts'
import { Trouble } from '../../shared/trouble.tsx'
import { useWords } from '../../words/words.tsx'
import { FieldInput } from '../values/field-input.tsx'
import { lookedUp } from '../values/value.tsx'

export type Values = Readonly<Record<string, Json>>

export interface RecordFormProps {
  readonly object: ObjectSeen
  /** What the record has; nothing for a new one. */
  readonly values: Values
  /** By which the draft is kept. */
  readonly draftName: string
  readonly onSave: (changes: Values, reason: string) => void
  readonly onCancel: () => void
  readonly busy: boolean
  readonly error: unknown
  /** What stands above the fields, such as what others have changed. */
  readonly children?: ReactNode
}

export function RecordForm(props: RecordFormProps) {
  const { object, values, draftName, onSave, onCancel, busy, error, children } = props
  const { t } = useWords()
  const [draft, setDraft] = useState<Draft>(() => draftOf(draftName) ?? {})
  const [reason, setReason] = useState('')
  useEffect(() => keepDraft(draftName, draft), [draftName, draft])
  const isNew = values['Id'] === undefined
  const fields = object.Fields.filter((field) => isSent(object, field))
  // What others have changed is shown above the form, not as a fault of what was typed.
  const faults = error instanceof ApiError && error.status !== 412 ? error.faults : []
  const faultOf = ({ Name }: Field) =>
    faults.find(
      ({ Field: name }) => name === Name || name.startsWith(`${Name}.`) || name.startsWith(`${Name}/`),
    )?.Message
  const elsewhere =
    faults.length === 0 ||
    faults.some(({ Field: name }) => !fields.some((field) => faultOf(field) && name.startsWith(field.Name)))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const changed = Object.entries(draft).map(([name, value]) => [name, sent(value as Json)] as const)
    onSave(Object.fromEntries(changed), reason)
  }
  const cancel = () => {
    keepDraft(draftName, undefined)
    onCancel()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {children}
        {error !== null &&
          error !== undefined &&
          elsewhere &&
          !(error instanceof ApiError && error.status === 412) && <Trouble error={error} />}
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing="sm">
          {fields.map((field) => (
            <FieldInput
              key={field.Name}
              field={field}
              value={
                field.Name in draft
                  ? (draft[field.Name] as Json)
                  : (values[field.Name] ?? (isNew ? field.Default : null))
              }
              onValue={(value) =>
                setDraft((now) => withValue(now, field.Name, value, values[field.Name] ?? null))
              }
              error={faultOf(field)}
            />
          ))}
        </SimpleGrid>
        {!isNew && (
          <TextInput
            label={t('record.reason')}
            description={t('record.reasonText')}
            maxLength={1000}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        )}
        <Group gap="xs">
          <Button type="submit" loading={busy} disabled={!isNew && Object.keys(draft).length === 0}>
            {t('record.save')}
          </Button>
          <Button variant="default" onClick={cancel}>
            {t('cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Whether the field may be sent; a state is changed by actions. */
function isSent({ Workflow }: ObjectSeen, { ReadOnly, Name }: Field): boolean {
  return !ReadOnly && Name !== Workflow?.Field
}

/** A value that is what the record has already is not a change. */
function withValue(draft: Draft, name: string, value: Json, had: Json): Draft {
  const same = JSON.stringify(sent(value)) === JSON.stringify(sent(had))
  if (!same) return { ...draft, [name]: value }
  return Object.fromEntries(Object.entries(draft).filter(([one]) => one !== name))
}

/** Lookups are written as Keys. */
function sent(value: Json): Json {
  return lookedUp(value)?.key ?? value
}
