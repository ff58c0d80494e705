/** A column of the file: its name, its first cells, where it goes, and how its texts are read. */
import { Badge, Group, NativeSelect, Paper, Text, TextInput } from '@mantine/core'
import type { Import, Preview, Reading } from '../api/imports.ts'
import { fieldOf, useSeen, type Field, type ObjectSeen } from '../api/objects.ts'
import { spaced } from '../shared/names.ts'
import { useWords } from '../words/words.tsx'
import { fieldOfTarget, IGNORED, targetsOf, type Choices, type Target } from './mapping.ts'

export interface ColumnRowProps {
  readonly column: string
  readonly object: ObjectSeen
  readonly choices: Choices
  readonly suggested: Target | undefined
  readonly found: Preview['Columns'][number] | undefined
  readonly examples: readonly string[]
  readonly questions: Import['Questions']
  readonly onChange: (part: Partial<Choices>) => void
}

const EXAMPLES = 3
const USUAL_DATES = ['YYYY-MM-DD', 'DD-MM-YYYY', 'MM-DD-YYYY']

export function ColumnRow(props: ColumnRowProps) {
  const { column, object, choices, suggested, found, examples, questions, onChange } = props
  const { t, number } = useWords()
  const target = choices.targets[column]
  const options = [
    ...new Set([...targetsOf(object, choices.mode), ...(target && target !== IGNORED ? [target] : [])]),
  ]
  const choose = (next: string) => {
    const { [column]: _, ...others } = choices.targets
    onChange({ targets: next === '' ? others : { ...others, [column]: next } })
  }
  return (
    <Paper component="li" withBorder p="xs" style={{ listStyle: 'none' }} data-column={column}>
      <Group gap="md" align="flex-start">
        <div style={{ flex: '1 1 14rem', minWidth: 0 }}>
          <Text fw={600} size="sm">
            {column}
          </Text>
          <Text size="xs" c="dimmed" className="one-line">
            {examples.slice(0, EXAMPLES).join(' · ') || '–'}
          </Text>
          {found && (
            <Text size="xs" c="dimmed">
              {t('imports.filled', { filled: number(found.Filled), empty: number(found.Empty) })}
            </Text>
          )}
        </div>
        <div style={{ flex: '1 1 14rem' }}>
          <NativeSelect
            size="xs"
            label={t('imports.goesInto')}
            aria-label={t('imports.goesIntoOf', { column })}
            data={[
              { value: '', label: t('imports.undecided') },
              { value: IGNORED, label: t('imports.ignored') },
              ...options.map((value) => ({ value, label: labelOf(value) })),
            ]}
            value={target ?? ''}
            onChange={(event) => choose(event.currentTarget.value)}
          />
          {target === undefined && suggested !== undefined && (
            <Badge
              component="button"
              type="button"
              mt={4}
              variant="light"
              style={{ cursor: 'pointer' }}
              onClick={() => choose(suggested)}
            >
              {t('imports.suggested', { field: labelOf(suggested) })}
            </Badge>
          )}
        </div>
        <div style={{ flex: '1 1 14rem' }}>
          {target !== undefined && target !== IGNORED && <HowRead {...props} target={target} />}
        </div>
      </Group>
      {questions.map(({ Question }) => (
        <Text key={Question} size="sm" c="var(--mantine-color-error)" mt={4}>
          {Question}
        </Text>
      ))}
    </Paper>
  )
}

const labelOf = (target: Target) =>
  target
    .split('.')
    .map((part, at) => (at === 0 ? spaced(part) : part.toLowerCase()))
    .join(' · ')

/** What can be read in more ways than one has to be said. */
function HowRead({
  column,
  object,
  target,
  choices,
  found,
  onChange,
}: ColumnRowProps & { readonly target: Target }) {
  const { t } = useWords()
  const objects = useSeen()?.Objects ?? []
  const name = fieldOfTarget(target)
  const field = fieldOf(object, name)
  const reading = choices.readings[name] ?? {}
  const set = (part: typeof reading) =>
    onChange({ readings: { ...choices.readings, [name]: { ...reading, ...part } } })
  if (!field) return null
  if (field.Type === 'lookup')
    return (
      <NativeSelect
        size="xs"
        label={t('imports.lookupBy')}
        data={['', 'Id', ...textFieldsOf(objects, field)].map((value) => ({
          value,
          label: value === '' ? t('imports.usual') : spaced(value),
        }))}
        value={reading.LookupBy ?? ''}
        onChange={(event) => set({ LookupBy: event.currentTarget.value || undefined })}
      />
    )
  if (field.Type === 'date')
    return (
      <NativeSelect
        size="xs"
        label={t('imports.dateFormat')}
        data={['', ...waysOf(found?.DateFormat, reading.Format, USUAL_DATES)].map((value) => ({
          value,
          label: value || t('imports.byTheCells'),
        }))}
        value={reading.Format ?? ''}
        onChange={(event) => set({ Format: event.currentTarget.value || undefined })}
      />
    )
  const isNumber = field.Type === 'integer' || field.Type === 'decimal' || target.endsWith('.Amount')
  if (!isNumber) return null
  const hasCurrency = Object.values(choices.targets).includes(`${name}.Currency`)
  return (
    <Group gap="xs" wrap="nowrap">
      <NativeSelect
        size="xs"
        label={t('imports.decimalSign')}
        data={[
          { value: '', label: t('imports.byTheCells') },
          { value: '.', label: '1,234.50' },
          { value: ',', label: '1.234,50' },
        ]}
        value={reading.Decimal ?? ''}
        onChange={(event) => set({ Decimal: (event.currentTarget.value || undefined) as '.' | undefined })}
      />
      {target.endsWith('.Amount') && !hasCurrency && (
        <TextInput
          size="xs"
          w={90}
          label={t('money.currency')}
          aria-label={t('money.currencyOf', { field: column })}
          placeholder="EUR"
          maxLength={3}
          value={choices.currencies[name] ?? ''}
          onChange={(event) =>
            onChange({
              currencies: { ...choices.currencies, [name]: event.currentTarget.value.toUpperCase() },
            })
          }
        />
      )}
    </Group>
  )
}

function textFieldsOf(objects: readonly ObjectSeen[], { Target: of }: Field): readonly string[] {
  const fields = objects.find(({ Object }) => Object === of)?.Fields ?? []
  return fields.filter(({ Type }) => Type === 'text' || Type === 'email').map(({ Name }) => Name)
}

function waysOf(
  found: Reading | undefined,
  chosen: string | undefined,
  usual: readonly string[],
): readonly string[] {
  const seen = found && 'ask' in found ? found.ask : found && 'decided' in found ? [found.decided] : []
  return [...new Set([...seen, ...(chosen ? [chosen] : []), ...usual])]
}
