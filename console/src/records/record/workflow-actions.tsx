/** The actions that lead on from the present state. One that cannot be taken now says why. */
import { Button, Group, Modal, Stack, Text, Textarea, Tooltip } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { ObjectSeen } from '../../api/objects.ts'
import { standingQuery, takeAction, type Standing } from '../../api/records.ts'
import { spaced } from '../../shared/names.ts'
import { done } from '../../shared/notify.ts'
import { Trouble } from '../../shared/trouble.tsx'
import { useWords } from '../../words/words.tsx'
import { State } from '../values/value.tsx'
import { refreshRecord } from './refresh.ts'

export interface ActionsProps {
  readonly object: ObjectSeen
  readonly recordKey: string
  readonly etag: string | undefined
}

export function Actions({ object, recordKey: key, etag }: ActionsProps) {
  const { t } = useWords()
  const standing = useQuery(standingQuery(object.Object, key))
  const [taken, setTaken] = useState<Standing['Actions'][number]>()
  if (!standing.data) return null
  return (
    <>
      {standing.data.Actions.map((action) => (
        <Button key={action.Action} variant="light" onClick={() => setTaken(action)}>
          {actionLabel(action.Action)}
        </Button>
      ))}
      {standing.data.Refused.map(({ Action, Reason }) => (
        <Tooltip key={Action} label={Reason} multiline maw={320}>
          {/* Not `disabled`: who goes by keyboard must come to the reason, too. */}
          <Button
            variant="default"
            data-disabled
            aria-disabled
            aria-description={Reason}
            onClick={(event) => event.preventDefault()}
          >
            {actionLabel(Action)}
          </Button>
        </Tooltip>
      ))}
      {taken && (
        <Modal
          opened
          onClose={() => setTaken(undefined)}
          title={actionLabel(taken.Action)}
          closeButtonProps={{ 'aria-label': t('close') }}
        >
          <TakeAction
            object={object}
            recordKey={key}
            etag={etag}
            action={taken}
            onClose={() => setTaken(undefined)}
          />
        </Modal>
      )}
    </>
  )
}

/** `approve` as `Approve`. */
export const actionLabel = (action: string) => spaced(action.charAt(0).toUpperCase() + action.slice(1))

export interface TakeActionProps extends ActionsProps {
  readonly action: Pick<Standing['Actions'][number], 'Action' | 'To' | 'RequiresComment'>
  readonly onClose: () => void
}

export function TakeAction({ object, recordKey: key, etag, action, onClose }: TakeActionProps) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [comment, setComment] = useState('')
  const taking = useMutation({
    mutationFn: () => takeAction(object.Object, key, action.Action, comment, etag),
    onSuccess: async () => {
      done(t('workflow.done', { state: spaced(action.To) }))
      await refreshRecord(queries, object.Object, key)
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    taking.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">
          {t('workflow.leads')} <State state={action.To} />
        </Text>
        <Textarea
          label={t('workflow.comment')}
          description={t('record.reasonText')}
          required={action.RequiresComment}
          maxLength={1000}
          autosize
          minRows={2}
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
          data-autofocus
        />
        {taking.error && <Trouble error={taking.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={taking.isPending}>
            {actionLabel(action.Action)}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
