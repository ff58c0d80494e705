/** Which column of the file a fault of a field is about: people correct columns, and know nothing of fields. */
import type { Mapping } from './mapping.ts'

/** Several are joined; undefined where none goes into the field. `MonthlyRent.Amount` is a part of a field. */
export function columnOf({ Fields }: Pick<Mapping, 'Fields'>, field: string): string | undefined {
  const [name = '', part = ''] = field.split('.')
  const whole = Object.hasOwn(Fields, name) ? Fields[name] : undefined
  if (!whole) return undefined
  const { Amount, Currency } = whole
  const parts = part === 'Amount' ? [Amount] : part === 'Currency' ? [Currency] : [whole, Amount, Currency]
  const columns = parts.flatMap((one) => one?.Columns ?? one?.Column ?? [])
  return columns.length === 0 ? undefined : columns.join(', ')
}
