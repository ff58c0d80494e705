/** Fields that changed, from what to what. */
import { Table } from '@mantine/core'
import { fieldOf, type ObjectSeen } from '../../api/objects.ts'
import type { Json } from '../../api/records.ts'
import { spaced } from '../../shared/names.ts'
import { useWords } from '../../words/words.tsx'
import { textOfValue } from '../values/value.tsx'

export type Changed = Readonly<Record<string, { readonly From: Json; readonly To: Json }>>

export function Changes({
  object,
  changes,
  label,
}: {
  readonly object: ObjectSeen
  readonly changes: Changed
  readonly label: string
}) {
  const words = useWords()
  const names = Object.keys(changes)
  if (names.length === 0) return null
  const shown = (name: string, value: Json) => {
    const text = textOfValue(value, fieldOf(object, name), words)
    return name === object.Workflow?.Field ? spaced(text) : text
  }
  return (
    <Table withRowBorders={false} verticalSpacing={1} horizontalSpacing="xs" aria-label={label} w="auto">
      <Table.Tbody>
        {names.map((name) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={400} c="dimmed" miw={110}>
              {spaced(name)}
            </Table.Th>
            <Table.Td>
              {changes[name]!.From !== null && (
                <>
                  <span className="old-value">{shown(name, changes[name]!.From)}</span> →{' '}
                </>
              )}
              {shown(name, changes[name]!.To)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
