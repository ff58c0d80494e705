/** Messages that change fields which were changed here, too: a person says of each field whose value holds. */
import { Button, Modal } from '@mantine/core'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { conflictsQuery, type ConflictMessage } from '../api/integration-syncs.ts'
import { Go } from '../app/go.tsx'
import type { Search } from '../app/search.ts'
import { Listing } from '../shared/listing.tsx'
import { TurnPages } from '../shared/pages.tsx'
import { Time } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'
import { namesOf } from './conflict-fields.ts'
import { ResolveConflict } from './resolve-conflict.tsx'

export interface ConflictsProps {
  readonly integration: string
  readonly search: Search
  readonly onShow: (search: Search) => void
}

export function Conflicts({ integration, search, onShow }: ConflictsProps) {
  const { t } = useWords()
  const [resolving, setResolving] = useState<ConflictMessage>()
  const conflicts = useQuery(conflictsQuery(integration, search.page))
  const close = () => setResolving(undefined)
  return (
    <>
      <Listing
        label={t('integrationTab.conflicts')}
        query={
          { ...conflicts, data: conflicts.data?.conflicts } as UseQueryResult<readonly ConflictMessage[]>
        }
        nothing={t('conflicts.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          {
            title: t('deliveries.record'),
            of: ({ Records }) =>
              Records.map(({ Object: object, Record }) => (
                <Go key={Record} to={`/records/${object}/${Record}`} className="value-link one-line">
                  {object} …{Record.slice(-6)}
                </Go>
              )),
          },
          {
            title: t('conflicts.fields'),
            of: ({ Records }) => namesOf(Records).join(', '),
          },
          { title: t('inbox.entry'), of: ({ Entry }) => Entry },
          { title: t('inbox.received'), of: ({ ReceivedAt }) => <Time at={ReceivedAt} /> },
          {
            title: t('actions'),
            isQuiet: true,
            of: (conflict) => (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`${t('conflicts.resolve')}: ${namesOf(conflict.Records).join(', ')}`}
                onClick={() => setResolving(conflict)}
              >
                {t('conflicts.resolve')}
              </Button>
            ),
          },
        ]}
      />
      <TurnPages pagination={conflicts.data?.pagination} onPage={(next) => onShow({ page: next })} />
      <Modal
        size="lg"
        opened={resolving !== undefined}
        onClose={close}
        title={t('conflicts.title')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {resolving && <ResolveConflict integration={integration} conflict={resolving} onDone={close} />}
      </Modal>
    </>
  )
}
