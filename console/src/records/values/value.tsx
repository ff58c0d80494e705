/** A value of a record as people read it, by the type of its field. */
import { Badge, Code } from '@mantine/core'
import { Go } from '../../app/go.tsx'
import { fieldOf, type Field, type ObjectSeen } from '../../api/objects.ts'
import type { Json } from '../../api/records.ts'
import { dateText, timeText } from '../../shared/times.tsx'
import { localeOf, useWords, type Language, type Words } from '../../words/words.tsx'

export interface Money {
  readonly Amount: number
  readonly Currency: string
}

export function isMoney(
  value: Json | undefined,
): value is { readonly Amount: number; readonly Currency: string } {
  return typeof value === 'object' && value !== null && 'Amount' in value && 'Currency' in value
}

/** `{Id, <display>}` of a lookup that is read. */
export function lookedUp(
  value: Json | undefined,
): { readonly key: string; readonly name: string } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { Id: key, ...others } = value as { readonly Id?: Json; readonly [name: string]: Json | undefined }
  if (typeof key !== 'string') return undefined
  const name = Object.values(others).find((one) => typeof one === 'string' || typeof one === 'number')
  return { key, name: name === undefined ? key : String(name) }
}

/** As one line of text; a dash where it is missing. */
export function textOfValue(
  value: Json | undefined,
  field: Pick<Field, 'Type' | 'Unit'> | undefined,
  words: Pick<Words, 't' | 'language'>,
): string {
  const { t, language } = words
  if (value === null || value === undefined || value === '') return '–'
  switch (field?.Type) {
    case 'money':
      return isMoney(value) ? moneyText(value, language) : JSON.stringify(value)
    case 'date':
      return typeof value === 'string' ? dateText(value, language) : JSON.stringify(value)
    case 'timestamp':
      return typeof value === 'string' ? timeText(value, language) : JSON.stringify(value)
    case 'boolean':
      return value === true ? t('yes') : t('no')
    case 'integer':
    case 'decimal': {
      const number =
        typeof value === 'number'
          ? value.toLocaleString(localeOf(language), { maximumFractionDigits: 15 })
          : JSON.stringify(value)
      return field.Unit ? `${number} ${field.Unit}` : number
    }
    case 'lookup':
      return lookedUp(value)?.name ?? (typeof value === 'string' ? value : JSON.stringify(value))
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
}

export function moneyText({ Amount, Currency }: Money, language: Language): string {
  const amount = Amount.toLocaleString(localeOf(language), {
    minimumFractionDigits: 2,
    maximumFractionDigits: 4,
  })
  return `${amount} ${Currency}`
}

export const isNumeric = ({ Type }: Field) => Type === 'integer' || Type === 'decimal' || Type === 'money'

export interface ValueProps {
  readonly value: Json | undefined
  readonly field: Field
  readonly object: ObjectSeen
  /** Whether it stands among others in a list, in one line. */
  readonly short?: boolean
}

export function Value({ value, field, object, short = false }: ValueProps) {
  const words = useWords()
  const text = textOfValue(value, field, words)
  if (text === '–') return <>{text}</>
  const found = field.Type === 'lookup' ? lookedUp(value) : undefined
  if (found && field.Target)
    return (
      <Go to={`/records/${field.Target}/${found.key}`} className="value-link">
        {found.name}
      </Go>
    )
  if (field.Name === object.Workflow?.Field) return <State state={text} />
  if (field.Type === 'url' && typeof value === 'string' && /^https?:\/\//i.test(value))
    return (
      <a href={value} rel="noopener noreferrer" target="_blank" className="value-link">
        {text}
      </a>
    )
  if (field.Type === 'json' && !short) return <Code block>{JSON.stringify(value, null, 2)}</Code>
  if (field.Type === 'longtext' && !short) return <span style={{ whiteSpace: 'pre-wrap' }}>{text}</span>
  return <>{text}</>
}

/** A state of a workflow: words first, the colour helps only. */
export function State({ state }: { readonly state: string }) {
  const done = /^(Active|Approved|Completed|Paid|Granted|Matched|Won)$/.test(state)
  const open = /^(Pending|Waiting|Submitted)/.test(state)
  return (
    <Badge className="state" color={done ? 'teal' : open ? 'yellow' : 'gray'} variant="dot">
      {state.replaceAll(/([a-z])([A-Z])/g, (_, one: string, two: string) => `${one} ${two.toLowerCase()}`)}
    </Badge>
  )
}

/** The field of a path over lookups, as far as the objects are seen; undefined when there is none. */
export function fieldAt(objects: readonly ObjectSeen[], object: ObjectSeen, path: string): Field | undefined {
  const [first = '', ...rest] = path.split('/')
  const field = fieldOf(object, first)
  if (!field || rest.length === 0) return field
  if (field.Type === 'money')
    return rest[0] === 'Amount' || rest[0] === 'Currency'
      ? { ...field, Type: rest[0] === 'Amount' ? 'decimal' : 'text' }
      : undefined
  const target = objects.find(({ Object }) => Object === field.Target)
  return target && fieldAt(objects, target, rest.join('/'))
}
