/** The state of an import: words first, the colour helps only. */
import { Badge } from '@mantine/core'
import type { Import } from '../api/imports.ts'
import { useWords } from '../words/words.tsx'

const COLORS: Readonly<Record<Import['State'], string>> = {
  Reading: 'blue',
  NeedsMapping: 'yellow',
  Checked: 'yellow',
  Running: 'blue',
  Completed: 'teal',
  CompletedWithErrors: 'orange',
  Cancelled: 'gray',
  Failed: 'red',
  Undoing: 'blue',
  Undone: 'gray',
  PartlyUndone: 'orange',
}

export function ImportStateBadge({ state }: { readonly state: Import['State'] }) {
  const { t } = useWords()
  return (
    <Badge className="state" variant="dot" color={COLORS[state]}>
      {t(`importState.${state}`)}
    </Badge>
  )
}
