/** The input of a field, by its type. Values are those of the API; null stands for none. */
import {
  Autocomplete,
  Group,
  NativeSelect,
  NumberInput,
  Select,
  TextInput,
  Textarea,
  Tooltip,
} from '@mantine/core'
import type { Field } from '../../api/objects.ts'
import type { Json } from '../../api/records.ts'
import { localMoment, utcMoment } from '../../shared/moments.ts'
import { spaced } from '../../shared/names.ts'
import { useWords } from '../../words/words.tsx'
import { LookupInput } from './lookup-input.tsx'

export interface FieldInputProps {
  readonly field: Field
  readonly value: Json | undefined
  readonly onValue: (value: Json) => void
  /** What the service says is wrong with it. */
  readonly error: string | undefined
}

export function FieldInput({ field, value, onValue, error }: FieldInputProps) {
  const { t } = useWords()
  const common = {
    label: spaced(field.Name) + (field.Unit ? ` (${field.Unit})` : ''),
    description: field.Description ?? undefined,
    required: field.Required,
    error,
  }
  const text =
    typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)
  const onText = (event: { readonly currentTarget: { readonly value: string } }) =>
    onValue(event.currentTarget.value === '' ? null : event.currentTarget.value)
  switch (field.Type) {
    case 'longtext':
      return <Textarea {...common} autosize minRows={2} maxRows={12} value={text} onChange={onText} />
    case 'integer':
    case 'decimal':
      return (
        <NumberInput
          {...common}
          allowDecimal={field.Type === 'decimal'}
          value={typeof value === 'number' ? value : ''}
          onChange={(next) => onValue(next === '' ? null : Number(next))}
        />
      )
    case 'boolean':
      return (
        <NativeSelect
          {...common}
          data={[
            { value: '', label: '–' },
            { value: 'true', label: t('yes') },
            { value: 'false', label: t('no') },
          ]}
          value={value === true ? 'true' : value === false ? 'false' : ''}
          onChange={(event) =>
            onValue(event.currentTarget.value === '' ? null : event.currentTarget.value === 'true')
          }
        />
      )
    case 'date':
      return <TextInput {...common} type="date" value={text} onChange={onText} />
    case 'timestamp':
      return (
        <TextInput
          {...common}
          type="datetime-local"
          step={1}
          value={text === '' ? '' : localMoment(text)}
          onChange={(event) => onValue(utcMoment(event.currentTarget.value) ?? null)}
        />
      )
    case 'choice':
      return field.Strict ? (
        <Select
          {...common}
          data={[...(field.Choices ?? [])]}
          clearable={!field.Required}
          searchable
          value={text === '' ? null : text}
          onChange={onValue}
        />
      ) : (
        <Autocomplete
          {...common}
          data={[...(field.Choices ?? [])]}
          value={text}
          onChange={(next) => onValue(next === '' ? null : next)}
        />
      )
    case 'money':
      return <MoneyInput {...common} value={value} onValue={onValue} />
    case 'lookup':
      return <LookupInput {...common} target={field.Target ?? ''} value={value} onValue={onValue} />
    case 'json':
      return <JsonInput {...common} value={value} onValue={onValue} />
    default:
      return (
        <TextInput
          {...common}
          type={field.Type === 'email' ? 'email' : field.Type === 'url' ? 'url' : 'text'}
          maxLength={field.MaxLength ?? undefined}
          value={text}
          onChange={onText}
        />
      )
  }
}

interface PartProps {
  readonly label: string
  readonly description: string | undefined
  readonly required: boolean
  readonly error: string | undefined
  readonly value: Json | undefined
  readonly onValue: (value: Json) => void
}

function MoneyInput({ value, onValue, label, ...rest }: PartProps) {
  const { t } = useWords()
  const money = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly Amount?: number
    readonly Currency?: string
  }
  const set = (Amount: number | undefined, Currency: string | undefined) =>
    onValue(Amount === undefined ? null : { Amount, Currency: Currency ?? 'EUR' })
  return (
    <Group gap={6} wrap="nowrap" align="flex-end">
      <NumberInput
        {...rest}
        label={label}
        flex={1}
        value={money.Amount ?? ''}
        onChange={(next) => set(next === '' ? undefined : Number(next), money.Currency)}
      />
      <Tooltip label={t('money.currency')}>
        <TextInput
          aria-label={t('money.currencyOf', { field: label })}
          w={72}
          maxLength={3}
          value={money.Currency ?? 'EUR'}
          onChange={(event) => set(money.Amount, event.currentTarget.value.toUpperCase())}
        />
      </Tooltip>
    </Group>
  )
}

function JsonInput({ value, onValue, ...rest }: PartProps) {
  const text =
    typeof value === 'string'
      ? value
      : value === null || value === undefined
        ? ''
        : JSON.stringify(value, null, 2)
  const read = (next: string): Json => {
    if (next.trim() === '') return null
    try {
      return JSON.parse(next) as Json
    } catch {
      // Not JSON yet: the service says so, should it stay so.
      return next
    }
  }
  return (
    <Textarea
      {...rest}
      autosize
      minRows={2}
      maxRows={12}
      defaultValue={text}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      onChange={(event) => onValue(read(event.currentTarget.value))}
    />
  )
}
