/** What can be done with an import in its state. */
import { Button, Menu, NativeSelect } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { askImport, type Import } from '../api/imports.ts'
import { urlOf } from '../api/request.ts'
import { Confirm } from '../shared/confirm.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { Undo } from './undo.tsx'
import { useWords, type Words } from '../words/words.tsx'

const ON_ERROR = ['continue', 'stop', 'nothing'] as const

export function ImportActions({ whole }: { readonly whole: Import }) {
  const words = useWords()
  const { t } = words
  const queries = useQueryClient()
  const [asked, setAsked] = useState<'commit' | 'cancel' | 'undo'>()
  const [onError, setOnError] = useState<string>('continue')
  const changed = (now: Import) => {
    queries.setQueryData(['import', whole.Id], now)
    void queries.invalidateQueries({ queryKey: ['imports'] })
  }
  const asking = useMutation({
    mutationFn: (what: 'check' | 'retry') => askImport(whole.Id, what),
    onSuccess: changed,
  })
  const { State, Counts } = whole
  return (
    <>
      {State === 'Checked' && (
        <>
          <Button variant="default" loading={asking.isPending} onClick={() => asking.mutate('check')}>
            {t('imports.check')}
          </Button>
          <Button onClick={() => setAsked('commit')}>{t('imports.commit')}</Button>
        </>
      )}
      {State === 'CompletedWithErrors' && whole.Kind !== 'undo' && (
        <Button loading={asking.isPending} onClick={() => asking.mutate('retry')}>
          {t('imports.retry')}
        </Button>
      )}
      {['Reading', 'NeedsMapping', 'Checked', 'Running'].includes(State) && (
        <Button variant="default" onClick={() => setAsked('cancel')}>
          {t('imports.cancel')}
        </Button>
      )}
      {isUndoable(whole) && (
        <Button variant="default" onClick={() => setAsked('undo')}>
          {t('imports.undo')}
        </Button>
      )}
      <Downloads whole={whole} />
      {asking.error && <Trouble error={asking.error} />}
      <Confirm
        opened={asked === 'commit'}
        isDangerous={false}
        title={t('imports.commit')}
        text={whatCommitDoes(whole, words)}
        action={t('imports.commit')}
        run={async () => changed(await askImport(whole.Id, 'commit', { OnError: onError }))}
        onClose={() => setAsked(undefined)}
      >
        {whole.Kind !== 'undo' && (
          <NativeSelect
            label={t('imports.onError')}
            data={ON_ERROR.map((value) => ({ value, label: t(`importOnError.${value}`) }))}
            value={onError}
            onChange={(event) => setOnError(event.currentTarget.value)}
          />
        )}
      </Confirm>
      {asked === 'undo' && <Undo whole={whole} onClose={() => setAsked(undefined)} />}
      <Confirm
        opened={asked === 'cancel'}
        title={t('imports.cancel')}
        text={Counts.Done > 0 ? t('imports.cancelDoneText') : t('imports.cancelText')}
        action={t('imports.cancel')}
        run={async () => changed(await askImport(whole.Id, 'cancel'))}
        onClose={() => setAsked(undefined)}
      />
    </>
  )
}

/** In these states there is something that it did. */
const isUndoable = ({ State, Counts }: Import) =>
  ['Completed', 'CompletedWithErrors', 'PartlyUndone', 'Cancelled'].includes(State) &&
  Counts.Created + Counts.Updated + Counts.Undone > 0

function whatCommitDoes({ Kind, Check }: Import, { t, number }: Words): string {
  const { WouldCreate = 0, WouldUpdate = 0, WouldFail = 0, WouldUndo = 0, WouldKeep = 0 } = Check ?? {}
  return Kind === 'undo'
    ? t('imports.commitUndoText', { rows: number(WouldUndo), kept: number(WouldKeep) })
    : t('imports.commitText', { rows: number(WouldCreate + WouldUpdate), failing: number(WouldFail) })
}

/** Files of the refused rows, and of what became of all. */
function Downloads({ whole: { Id, State, Counts, Check } }: { readonly whole: Import }) {
  const { t } = useWords()
  const failed = Counts.Failed > 0 || (Check?.WouldFail ?? 0) > 0
  const items = [
    ...(failed ? (['errors'] as const) : []),
    ...(Counts.Done > 0 && State !== 'Running' ? (['results'] as const) : []),
  ]
  if (items.length === 0) return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
          {t('download.title')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {items.flatMap((name) =>
          (['xlsx', 'csv'] as const).map((format) => (
            <Menu.Item
              key={`${name}.${format}`}
              component="a"
              href={urlOf(`imports/${Id}/${name}.${format}`)}
              download={`${Id}-${name}.${format}`}
            >
              {t(`imports.${name}`)} ({format === 'xlsx' ? 'Excel' : 'CSV'})
            </Menu.Item>
          )),
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
