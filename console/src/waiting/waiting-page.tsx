/** "Waiting for me": what others have submitted and the caller could decide on now, the oldest first. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldOf, useSeen, type ObjectSeen } from '../api/objects.ts'
import { recordQuery } from '../api/records.ts'
import { waitingQuery, type WaitingRecord } from '../api/waiting.ts'
import { Go } from '../app/go.tsx'
import { Details } from '../records/record/details.tsx'
import { actionLabel, TakeAction } from '../records/record/workflow-actions.tsx'
import { State, textOfValue } from '../records/values/value.tsx'
import { Listing } from '../shared/listing.tsx'
import { spaced } from '../shared/names.ts'
import { Page, PageLoading } from '../shared/page.tsx'
import { Time } from '../shared/times.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

interface Decision {
  readonly object: ObjectSeen
  readonly recordKey: string
  readonly title: string
  readonly action: WaitingRecord['Actions'][number]
}

export function WaitingPage() {
  const words = useWords()
  const { t } = words
  const seen = useSeen()
  const waiting = useQuery(waitingQuery)
  const [decision, setDecision] = useState<Decision>()
  if (!seen) return <PageLoading />
  const objectOf = (name: string) => seen.Objects.find(({ Object }) => Object === name)
  const titleOf = ({ Object: name, Record }: WaitingRecord) => {
    const object = objectOf(name)
    return object
      ? textOfValue(Record[object.Display] ?? Record.Id, fieldOf(object, object.Display), words)
      : Record.Id
  }
  const close = () => setDecision(undefined)
  return (
    <Page title={t('waiting.title')} text={t('waiting.text')}>
      <Listing
        label={t('waiting.title')}
        query={{ ...waiting, data: waiting.data?.records } as UseQueryResult<readonly WaitingRecord[]>}
        nothing={t('waiting.nothing')}
        keyOf={({ Record }) => Record.Id}
        columns={[
          {
            title: t('deliveries.record'),
            of: (one) => (
              <Go to={`/records/${one.Object}/${one.Record.Id}`} className="value-link one-line">
                {titleOf(one)}
              </Go>
            ),
          },
          { title: t('audit.object'), of: ({ Object }) => spaced(objectOf(Object)?.Name ?? Object) },
          { title: t('users.state'), of: ({ State: state }) => <State state={state} /> },
          { title: t('audit.by'), of: ({ By }) => By.Name },
          { title: t('users.since'), of: ({ Since }) => <Time at={Since} /> },
          {
            title: t('workflow.comment'),
            of: ({ Comment }) => <span className="cell">{Comment ?? '–'}</span>,
          },
          {
            title: t('actions'),
            isQuiet: true,
            of: (one) => (
              <Group gap={4} miw={150}>
                {one.Actions.map((action) => (
                  <Button
                    key={action.Action}
                    size="compact-xs"
                    variant="default"
                    aria-label={`${actionLabel(action.Action)}: ${titleOf(one)}`}
                    onClick={() =>
                      setDecision({
                        object: objectOf(one.Object)!,
                        recordKey: one.Record.Id,
                        title: titleOf(one),
                        action,
                      })
                    }
                  >
                    {actionLabel(action.Action)}
                  </Button>
                ))}
              </Group>
            ),
          },
        ]}
      />
      {waiting.data?.hasMore && (
        <Text size="sm" c="dimmed">
          {t('waiting.more')}
        </Text>
      )}
      <Modal
        opened={decision !== undefined}
        onClose={close}
        size="lg"
        title={decision && `${actionLabel(decision.action.Action)}: ${decision.title}`}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {decision && <Decide {...decision} onClose={close} />}
      </Modal>
    </Page>
  )
}

/** The record as it is now, and the action on this version of it: nobody approves what they have not seen. */
function Decide({ object, recordKey, action, onClose }: Decision & { readonly onClose: () => void }) {
  const loaded = useQuery({
    ...recordQuery(object.Object, recordKey),
    staleTime: 0,
    placeholderData: undefined,
  })
  if (loaded.error) return <Trouble error={loaded.error} onRetry={() => void loaded.refetch()} />
  if (!loaded.data) return <PageLoading />
  return (
    <Stack gap="md">
      <Details object={object} record={loaded.data.record} />
      <TakeAction
        object={object}
        recordKey={recordKey}
        etag={loaded.data.etag}
        action={action}
        onClose={onClose}
      />
    </Stack>
  )
}
