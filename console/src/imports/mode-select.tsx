/** Whether rows make records, change those that are there, or both. */
import { NativeSelect } from '@mantine/core'
import type { Mapping } from '../api/imports.ts'
import { useWords } from '../words/words.tsx'

export interface ModeSelectProps {
  readonly value: Mapping['Mode']
  readonly onChange: (mode: Mapping['Mode']) => void
}

const MODES = ['create', 'update', 'upsert'] as const

export function ModeSelect({ value, onChange }: ModeSelectProps) {
  const { t } = useWords()
  return (
    <NativeSelect
      label={t('imports.mode')}
      data={MODES.map((mode) => ({ value: mode, label: t(`importMode.${mode}`) }))}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as Mapping['Mode'])}
    />
  )
}
