/** One condition: a field, how it is compared, and with what. */
import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import type { Field, ObjectSeen } from '../../api/objects.ts'
import { allFields } from '../../api/objects.ts'
import { localMoment, utcMoment } from '../../shared/moments.ts'
import { spaced, spacedPath } from '../../shared/names.ts'
import { useWords } from '../../words/words.tsx'
import type { Condition, Operator } from '../filter/text.ts'
import { fieldAt } from '../values/value.tsx'

export interface FilterEditorProps {
  readonly object: ObjectSeen
  readonly objects: readonly ObjectSeen[]
  /** Undefined: a new one. */
  readonly condition: Condition | undefined
  readonly onApply: (condition: Condition) => void
  readonly onCancel: () => void
}

const TEXT: readonly Operator[] = ['contains', 'eq', 'ne', 'startswith', 'endswith']
const ORDER: readonly Operator[] = ['gt', 'ge', 'lt', 'le', 'eq', 'ne']

export function FilterEditor({ object, objects, condition, onApply, onCancel }: FilterEditorProps) {
  const { t } = useWords()
  const paths = pathsOf(object, objects)
  const [path, setPath] = useState(condition?.path ?? paths[0] ?? 'Id')
  const field = fieldAt(objects, object, path)
  const operators = operatorsOf(field)
  const [chosen, setOperator] = useState<Operator | undefined>(condition?.operator)
  const operator = chosen && operators.includes(chosen) ? chosen : operators[0]!
  const [value, setValue] = useState(condition?.value ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onApply({ path, operator, value: written(field, value), isText: isText(field, value) })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" w={260}>
        <NativeSelect
          size="xs"
          label={t('filter.field')}
          data={[...new Set([...paths, path])].map((one) => ({ value: one, label: spacedPath(one) }))}
          value={path}
          onChange={(event) => {
            setPath(event.currentTarget.value)
            setValue('')
          }}
          data-autofocus
        />
        <NativeSelect
          size="xs"
          label={t('filter.operator')}
          data={operators.map((one) => ({ value: one, label: t(`filter.${one}`) }))}
          value={operator}
          onChange={(event) => setOperator(event.currentTarget.value as Operator)}
        />
        <ValueInput field={field} operator={operator} value={value} onValue={setValue} />
        <Group justify="flex-end" gap={6}>
          <Button size="xs" variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
          <Button size="xs" type="submit">
            {t('filter.apply')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface ValueInputProps {
  readonly field: Field | undefined
  readonly operator: Operator
  readonly value: string
  readonly onValue: (value: string) => void
}

function ValueInput({ field, operator, value, onValue }: ValueInputProps) {
  const { t } = useWords()
  const common = { size: 'xs', label: t('filter.value'), required: true } as const
  const changed = (event: { readonly currentTarget: { readonly value: string } }) =>
    onValue(event.currentTarget.value)
  const isExact = operator === 'eq' || operator === 'ne'
  if (field?.Type === 'boolean')
    return (
      <NativeSelect
        {...common}
        data={[
          { value: '', label: '' },
          { value: 'true', label: t('yes') },
          { value: 'false', label: t('no') },
        ]}
        value={value}
        onChange={changed}
      />
    )
  if (field?.Type === 'choice' && field.Choices && field.Strict && isExact)
    return (
      <NativeSelect
        {...common}
        data={['', ...field.Choices].map((choice) => ({ value: choice, label: spaced(choice) }))}
        value={value}
        onChange={changed}
      />
    )
  if (field?.Type === 'timestamp')
    return (
      <TextInput
        {...common}
        type="datetime-local"
        step={1}
        value={value === '' ? '' : localMoment(value)}
        onChange={(event) => onValue(utcMoment(event.currentTarget.value) ?? '')}
      />
    )
  const type = field?.Type === 'date' ? 'date' : isNumber(field) ? 'number' : 'text'
  return <TextInput {...common} type={type} step="any" value={value} onChange={changed} />
}

/** Own fields, and the name of each record that is looked up. */
function pathsOf(object: ObjectSeen, objects: readonly ObjectSeen[]): readonly string[] {
  return allFields(object).flatMap(({ Name, Type, Target }) => {
    if (Type === 'json') return []
    if (Type === 'money') return [Name, `${Name}/Currency`]
    if (Type !== 'lookup') return [Name]
    const target = objects.find((one) => one.Object === Target)
    return target ? [`${Name}/${target.Display}`] : []
  })
}

const isNumber = (field: Field | undefined) =>
  field?.Type === 'integer' || field?.Type === 'decimal' || field?.Type === 'money'

function operatorsOf(field: Field | undefined): readonly Operator[] {
  if (field?.Type === 'boolean') return ['eq', 'ne']
  if (field?.Type === 'lookup' || field?.Name === 'Id') return ['eq', 'ne']
  if (field?.Type === 'choice') return ['eq', 'ne', 'contains']
  return isNumber(field) || field?.Type === 'date' || field?.Type === 'timestamp' ? ORDER : TEXT
}

function isText(field: Field | undefined, value: string): boolean {
  if (isNumber(field) || field?.Type === 'boolean') return false
  return !((field?.Type === 'date' || field?.Type === 'timestamp') && /^\d{4}-/.test(value))
}

function written(field: Field | undefined, value: string): string {
  return isNumber(field) ? value.replace(',', '.').trim() : value
}
