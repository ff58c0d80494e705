/** The imports of the company that one may see, newest first, and where a file is brought. */
import { Button, Modal } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { importsQuery, type Import } from '../api/imports.ts'
import { mayDo, useSeen } from '../api/objects.ts'
import { Go, useGo } from '../app/go.tsx'
import type { Search } from '../app/search.ts'
import { Listing } from '../shared/listing.tsx'
import { spaced } from '../shared/names.ts'
import { Page, PageLoading } from '../shared/page.tsx'
import { TurnPages } from '../shared/pages.tsx'
import { Time } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'
import { ImportStateBadge } from './import-state.tsx'
import { UploadFile } from './upload-file.tsx'

export function ImportsPage() {
  const { t, number } = useWords()
  const go = useGo()
  const seen = useSeen()
  const { page, into }: Search = useSearch({ strict: false })
  const imports = useQuery(importsQuery(page))
  if (!seen) return <PageLoading />
  const objects = seen.Objects.filter((object) => mayDo(object, 'import'))
  const nameOf = (name: string) => spaced(seen.Objects.find(({ Object }) => Object === name)?.Name ?? name)
  const show = (search: Search) => go('/imports', { search, replace: true })
  return (
    <Page
      title={t('imports.title')}
      text={t('imports.text')}
      actions={
        <>
          <Button variant="default" component={Go} to="/imports/kept">
            {t('kept.title')}
          </Button>
          <Button
            leftSection={<IconFileImport size={16} aria-hidden />}
            onClick={() => show({ page, into: objects[0]?.Object })}
          >
            {t('imports.new')}
          </Button>
        </>
      }
    >
      <Listing
        label={t('imports.title')}
        query={{ ...imports, data: imports.data?.imports } as UseQueryResult<readonly Import[]>}
        nothing={t('imports.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          {
            title: t('imports.file'),
            of: (one) => (
              <Go to={`/imports/${one.Id}`} className="value-link cell">
                {nameOfImport(one, t('imports.undoOf'))}
              </Go>
            ),
          },
          { title: t('audit.object'), of: ({ Object }) => nameOf(Object) },
          { title: t('users.state'), of: (one) => <ImportStateBadge state={one.State} /> },
          { title: t('imports.rows'), of: ({ Counts }) => number(Counts.Rows), isNumber: true },
          { title: t('imports.Created'), of: ({ Counts }) => number(Counts.Created), isNumber: true },
          { title: t('imports.Updated'), of: ({ Counts }) => number(Counts.Updated), isNumber: true },
          { title: t('imports.Failed'), of: ({ Counts }) => number(Counts.Failed), isNumber: true },
          { title: t('imports.committed'), of: ({ CommittedAt }) => <Time at={CommittedAt} /> },
        ]}
      />
      <TurnPages pagination={imports.data?.pagination} onPage={(next) => show({ page: next })} />
      <Modal
        opened={into !== undefined}
        onClose={() => show({ page })}
        title={t('imports.new')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {into !== undefined && (
          <UploadFile objects={objects} into={into} onUploaded={({ Id }) => go(`/imports/${Id}`)} />
        )}
      </Modal>
    </Page>
  )
}

/** The name of its file; of an undo, what it takes back. */
export function nameOfImport({ Kind, File, Id }: Import, undoOf: string): string {
  return Kind === 'undo' ? undoOf : (File?.Name ?? Id)
}
