/** Asks how an import is taken back; what that would do is checked first, as an import of its own. */
import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { askImport, type Import } from '../api/imports.ts'
import { useGo } from '../app/go.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { useWords } from '../words/words.tsx'

const CONFLICTS = ['keep', 'fields', 'force'] as const

export function Undo({ whole, onClose }: { readonly whole: Import; readonly onClose: () => void }) {
  const { t } = useWords()
  const go = useGo()
  const [conflicts, setConflicts] = useState<string>('keep')
  return (
    <Confirm
      opened
      isDangerous={false}
      title={t('imports.undo')}
      text={t('imports.undoText')}
      action={t('imports.seeUndo')}
      run={async () => {
        const { Id } = await askImport(whole.Id, 'undo', { Conflicts: conflicts })
        go(`/imports/${Id}`)
      }}
      onClose={onClose}
    >
      <NativeSelect
        label={t('imports.conflicts')}
        data={CONFLICTS.map((value) => ({ value, label: t(`importConflicts.${value}`) }))}
        value={conflicts}
        onChange={(event) => setConflicts(event.currentTarget.value)}
      />
    </Confirm>
  )
}
