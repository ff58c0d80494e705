/** An import: how far it is, what has to be decided, what its rows become, and what became of them. */
import { Alert, Anchor, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { importQuery, isUnderWay, type Import } from '../api/imports.ts'
import { useSeen, type ObjectSeen } from '../api/objects.ts'
import { Go, useGo, usePathNames } from '../app/go.tsx'
import type { Search } from '../app/search.ts'
import { Page, PageLoading } from '../shared/page.tsx'
import { spaced } from '../shared/names.ts'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { BankChoices } from './bank-choices.tsx'
import { ImportActions } from './import-actions.tsx'
import { ImportPreview } from './import-preview.tsx'
import { ImportProgress } from './import-progress.tsx'
import { ImportRowsTable } from './import-rows.tsx'
import { ImportStateBadge } from './import-state.tsx'
import { nameOfImport } from './imports-page.tsx'
import { KeepProfile } from './keep-profile.tsx'
import { MappingEditor } from './mapping-editor.tsx'

export function ImportPage() {
  const { key = '' } = usePathNames()
  const seen = useSeen()
  const loaded = useQuery(importQuery(key))
  if (loaded.error) return <Trouble error={loaded.error} onRetry={() => void loaded.refetch()} />
  if (!loaded.data || !seen) return <PageLoading />
  const object = seen.Objects.find((one) => one.Object === loaded.data.Object)
  return <OneImport key={key} whole={loaded.data} object={object} />
}

type Tab = 'mapping' | 'preview' | 'rows'

function OneImport({ whole, object }: { readonly whole: Import; readonly object: ObjectSeen | undefined }) {
  const { t } = useWords()
  const go = useGo()
  const { tab: asked, outcome, page }: Search = useSearch({ strict: false })
  const tabs = tabsOf(whole, object)
  const tab = tabs.find((one) => one === asked) ?? tabs[0]
  const show = (search: Search) => go(`/imports/${whole.Id}`, { search: { tab, ...search }, replace: true })
  return (
    <Page
      title={nameOfImport(whole, t('imports.undoOf'))}
      text={
        <>
          <Anchor component={Go} to={`/records/${whole.Object}`} inherit underline="always">
            {spaced(object?.Name ?? whole.Object)}
          </Anchor>{' '}
          {whole.Mode && `· ${t(`importMode.${whole.Mode}`)} `}
          <ImportStateBadge state={whole.State} />
        </>
      }
      actions={<ImportActions whole={whole} />}
    >
      {whole.Reason && (
        <Alert
          color={whole.State === 'Failed' ? 'red' : 'yellow'}
          variant="light"
          title={t(`importState.${whole.State}`)}
        >
          {whole.Reason}
        </Alert>
      )}
      {whole.SameContentAs && <Related to={whole.SameContentAs}>{t('imports.sameContent')}</Related>}
      {whole.Undoes && <Related to={whole.Undoes}>{t('imports.undoes')}</Related>}
      {whole.UndoneBy && <Related to={whole.UndoneBy}>{t('imports.undoneBy')}</Related>}
      {whole.State === 'NeedsMapping' && (
        <Alert color="yellow" variant="light" role="status" title={t('imports.questions')}>
          {t(whole.Kind === 'bank' ? 'imports.accountsQuestion' : 'imports.questionsText')}
        </Alert>
      )}
      {whole.State === 'NeedsMapping' && whole.Kind === 'bank' && (
        <BankChoices key={JSON.stringify(whole.Questions)} whole={whole} />
      )}
      <ImportProgress whole={whole} />
      {tab && (
        <Tabs
          value={tab}
          onChange={(next) => show({ tab: next ?? undefined, outcome: undefined, page: undefined })}
          keepMounted={false}
        >
          <Tabs.List aria-label={t('imports.title')}>
            {tabs.map((one) => (
              <Tabs.Tab key={one} value={one}>
                {t(`imports.${one}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab} pt="sm">
            {tab === 'mapping' && object && (
              <MappingEditor key={JSON.stringify(whole.Mapping)} whole={whole} object={object} />
            )}
            {tab === 'mapping' && whole.State === 'Checked' && <KeepProfile whole={whole} />}
            {tab === 'preview' && <ImportPreview whole={whole} />}
            {tab === 'rows' && <ImportRowsTable whole={whole} outcome={outcome} page={page} onShow={show} />}
          </Tabs.Panel>
        </Tabs>
      )}
    </Page>
  )
}

/** What there is to see of it by now; first what matters most. */
function tabsOf(whole: Import, object: ObjectSeen | undefined): readonly Tab[] {
  // What its columns are is known of a bank file.
  if (whole.Kind === 'bank') return whole.Counts.Done > 0 || whole.Check ? ['rows'] : []
  if (whole.Columns.length === 0) return whole.Counts.Done > 0 || whole.Check ? ['rows'] : []
  const isOpen = whole.State === 'NeedsMapping' || whole.State === 'Checked'
  const mapping: readonly Tab[] = isOpen && object ? ['mapping'] : []
  if (whole.State === 'NeedsMapping') return [...mapping, 'preview']
  if (isUnderWay(whole) && whole.CommittedAt === null && whole.State === 'Reading') return ['preview']
  return ['rows', 'preview', ...mapping]
}

function Related({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <Alert color="gray" variant="light">
      {children}{' '}
      <Go to={`/imports/${to}`} className="value-link">
        {to}
      </Go>
    </Alert>
  )
}
