/** Changing a record: saved only on the version that was read; otherwise what others changed is shown beside the draft. */
import { Alert, Button, Group, Table, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ObjectSeen } from '../../api/objects.ts'
import { fieldOf, mayDo } from '../../api/objects.ts'
import { ApiError } from '../../api/request.ts'
import { changeRecord, historyQuery, recordQuery, type Json, type Loaded } from '../../api/records.ts'
import { draftOf, keepDraft } from '../../shared/drafts.ts'
import { spaced } from '../../shared/names.ts'
import { done } from '../../shared/notify.ts'
import { Time } from '../../shared/times.tsx'
import { useWords } from '../../words/words.tsx'
import { textOfValue } from '../values/value.tsx'
import { RecordForm, type Values } from './record-form.tsx'
import { refreshRecord } from './refresh.ts'

export interface EditRecordProps {
  readonly object: ObjectSeen
  readonly recordKey: string
  readonly loaded: Loaded
  readonly onClose: () => void
}

export function EditRecord({ object, recordKey: key, loaded, onClose }: EditRecordProps) {
  const { t } = useWords()
  const queries = useQueryClient()
  const draftName = `${object.Object}/${key}`
  // The version that the person saw when the form was opened; a reload in the background must not replace it.
  const [base, setBase] = useState(loaded)
  const [theirs, setTheirs] = useState<Loaded>()
  const saving = useMutation({
    mutationFn: ({ body, reason }: { readonly body: Values; readonly reason: string }) =>
      changeRecord(object.Object, key, { body, reason, ifMatch: base.etag }),
    onSuccess: async () => {
      keepDraft(draftName, undefined)
      done(t('record.saved'))
      await refreshRecord(queries, object.Object, key)
      onClose()
    },
    onError: async (error) => {
      if (error instanceof ApiError && error.status === 412)
        setTheirs(await queries.fetchQuery({ ...recordQuery(object.Object, key), staleTime: 0 }))
    },
  })
  return (
    <RecordForm
      object={object}
      values={base.record}
      draftName={draftName}
      onSave={(body, reason) => saving.mutate({ body, reason })}
      onCancel={onClose}
      busy={saving.isPending}
      error={saving.error}
    >
      {theirs && (
        <Conflict
          object={object}
          recordKey={key}
          base={base}
          theirs={theirs}
          onGoOn={() => {
            setBase(theirs)
            setTheirs(undefined)
            saving.reset()
          }}
        />
      )}
    </RecordForm>
  )
}

interface ConflictProps {
  readonly object: ObjectSeen
  readonly recordKey: string
  readonly base: Loaded
  readonly theirs: Loaded
  readonly onGoOn: () => void
}

/** What others have changed since, who did, and what is in the draft. */
function Conflict({ object, recordKey, base, theirs, onGoOn }: ConflictProps) {
  const words = useWords()
  const { t } = words
  const queries = useQueryClient()
  const draft = draftOf(`${object.Object}/${recordKey}`) ?? {}
  const changed = Object.keys(theirs.record).filter(
    (name) =>
      name !== 'ModifiedAt' && JSON.stringify(theirs.record[name]) !== JSON.stringify(base.record[name]),
  )
  const shown = (name: string, value: Json | undefined) => textOfValue(value, fieldOf(object, name), words)
  const [by, setBy] = useState<{ readonly name: string; readonly at: string }>()
  if (!by && mayDo(object, 'audit'))
    void queries.fetchQuery({ ...historyQuery(object.Object, recordKey), staleTime: 0 }).then((entries) => {
      const last = entries.at(-1)
      if (last) setBy({ name: last.By.Name, at: last.At })
    })
  return (
    <Alert color="yellow" variant="light" role="alert" title={t('conflict.title')}>
      <Text size="sm">
        {by ? t('conflict.by', { name: by.name }) : t('conflict.text')} {by && <Time at={by.at} />}
      </Text>
      <Table my="xs" aria-label={t('conflict.title')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('conflict.field')}</Table.Th>
            <Table.Th>{t('conflict.before')}</Table.Th>
            <Table.Th>{t('conflict.theirs')}</Table.Th>
            <Table.Th>{t('conflict.yours')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changed.map((name) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{spaced(name)}</Table.Th>
              <Table.Td className="old-value">{shown(name, base.record[name])}</Table.Td>
              <Table.Td>{shown(name, theirs.record[name])}</Table.Td>
              <Table.Td>
                {name in draft ? shown(name, draft[name] as Json) : t('conflict.notChanged')}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onGoOn}>
          {t('conflict.goOn')}
        </Button>
        <Text size="xs">{t('conflict.goOnText')}</Text>
      </Group>
    </Alert>
  )
}
