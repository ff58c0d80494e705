/** What an integration sends to the other system, and what became of it; what has failed is sent again. */
import { Button, Group } from '@mantine/core'
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { SENDING_STATES, sendAgain, sentQuery, type Sending } from '../api/integrations.ts'
import { Go } from '../app/go.tsx'
import type { Search } from '../app/search.ts'
import { ChooseState } from '../shared/choose-state.tsx'
import { Listing } from '../shared/listing.tsx'
import { done } from '../shared/notify.ts'
import { TurnPages } from '../shared/pages.tsx'
import { Time } from '../shared/times.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { SendingStateBadge } from './integration-state.tsx'

export interface SentProps {
  readonly integration: string
  readonly search: Search
  readonly onShow: (search: Search) => void
}

export function Sent({ integration, search, onShow }: SentProps) {
  const { t, number } = useWords()
  const state = SENDING_STATES.find((one) => one === search.state)
  const sent = useQuery(sentQuery(integration, { state }, search.page))
  return (
    <>
      <Group mb="xs">
        <ChooseState
          label={t('users.state')}
          states={SENDING_STATES}
          textOf={(one) => t(`sendingState.${one}`)}
          value={state}
          onChoose={(next) => onShow({ state: next, page: undefined })}
        />
      </Group>
      <Listing
        label={t('integrationTab.sent')}
        query={{ ...sent, data: sent.data?.sendings } as UseQueryResult<readonly Sending[]>}
        nothing={t(state ? 'sent.noneSuch' : 'sent.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          {
            title: t('deliveries.record'),
            of: ({ Record }) => (
              <Go to={`/records/${Record.split('-')[0] ?? ''}/${Record}`} className="value-link one-line">
                …{Record.slice(-6)}
              </Go>
            ),
          },
          { title: t('deliveries.event'), of: ({ Event }) => Event },
          { title: t('users.state'), of: ({ State }) => <SendingStateBadge state={State} /> },
          { title: t('integrations.why'), of: ({ Reason }) => <span className="cell">{Reason ?? '–'}</span> },
          { title: t('sent.externalId'), of: ({ ExternalId }) => ExternalId ?? '–' },
          { title: t('deliveries.attempts'), of: ({ Attempts }) => number(Attempts), isNumber: true },
          { title: t('sent.since'), of: ({ ModifiedAt }) => <Time at={ModifiedAt} /> },
          {
            title: t('actions'),
            isQuiet: true,
            of: (sending) => <Again integration={integration} sending={sending} />,
          },
        ]}
      />
      <TurnPages pagination={sent.data?.pagination} onPage={(next) => onShow({ page: next })} />
    </>
  )
}

function Again({ integration, sending }: { readonly integration: string; readonly sending: Sending }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const again = useMutation({
    mutationFn: () => sendAgain(integration, sending.Id),
    onSuccess: () => done(t('sent.again')),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sent', integration] }),
  })
  if (sending.State !== 'failed' && sending.State !== 'refused') return null
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`${t('messageWay.resend')}: ${sending.Record}`}
        loading={again.isPending}
        onClick={() => again.mutate()}
      >
        {t('messageWay.resend')}
      </Button>
      {again.error && <Trouble error={again.error} />}
    </>
  )
}
