/** A new record. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useGo, usePathNames } from '../../app/go.tsx'
import { NotThere } from '../../app/not-there.tsx'
import { objectsQuery, type ObjectSeen } from '../../api/objects.ts'
import { createRecord } from '../../api/records.ts'
import { keepDraft } from '../../shared/drafts.ts'
import { spaced } from '../../shared/names.ts'
import { done } from '../../shared/notify.ts'
import { Page, PageLoading } from '../../shared/page.tsx'
import { useWords } from '../../words/words.tsx'
import { RecordForm, type Values } from './record-form.tsx'

export function NewRecordPage() {
  const { object: name } = usePathNames()
  const seen = useQuery(objectsQuery).data
  if (!seen) return <PageLoading />
  const object = seen.Objects.find(({ Object }) => Object === name)
  return object ? <NewRecord object={object} /> : <NotThere />
}

function NewRecord({ object }: { readonly object: ObjectSeen }) {
  const { t } = useWords()
  const go = useGo()
  const queries = useQueryClient()
  const draftName = `${object.Object}/new`
  const creating = useMutation({
    mutationFn: (values: Values) => createRecord(object.Object, values),
    onSuccess: async (record) => {
      keepDraft(draftName, undefined)
      done(t('record.created'))
      await queries.invalidateQueries({ queryKey: ['records', object.Object] })
      go(`/records/${object.Object}/${record.Id}`, { replace: true })
    },
  })
  return (
    <Page title={t('record.newTitle', { object: spaced(object.Name) })} text={object.Description}>
      <RecordForm
        object={object}
        values={{}}
        draftName={draftName}
        onSave={(values) => creating.mutate(values)}
        onCancel={() => go(`/records/${object.Object}`)}
        busy={creating.isPending}
        error={creating.error}
      />
    </Page>
  )
}
