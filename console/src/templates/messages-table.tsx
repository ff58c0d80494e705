/** Messages and what became of each; sent again, or settled where nobody knows. */
import { Badge, Button, Group } from '@mantine/core'
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import type { MessageState } from '../../../src/notifications/objects.ts'
import { messagesQuery, resendMessage, settleMessage, type Message } from '../api/templates.ts'
import { Go } from '../app/go.tsx'
import { ThingLink } from '../app/thing-link.tsx'
import type { Search } from '../app/search.ts'
import { ChooseState } from '../shared/choose-state.tsx'
import { Listing } from '../shared/listing.tsx'
import { done } from '../shared/notify.ts'
import { TurnPages } from '../shared/pages.tsx'
import { Time } from '../shared/times.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'

const COLORS: Readonly<Record<MessageState, string>> = {
  due: 'blue',
  attempting: 'blue',
  sent: 'teal',
  failed: 'red',
  withheld: 'gray',
  skipped: 'gray',
  uncertain: 'orange',
  bounced: 'red',
  gathered: 'blue',
}
const STATES = Object.keys(COLORS) as MessageState[]

export interface MessagesTableProps {
  readonly state: string | undefined
  readonly page: string | undefined
  readonly onShow: (search: Search) => void
}

export function MessagesTable({ state, page, onShow }: MessagesTableProps) {
  const { t } = useWords()
  const isState = STATES.some((one) => one === state)
  const messages = useQuery(messagesQuery(isState ? `State eq '${state}'` : undefined, page))
  return (
    <>
      <Group mb="xs">
        <ChooseState
          label={t('users.state')}
          states={STATES}
          textOf={(one) => t(`messageState.${one}`)}
          value={state}
          onChoose={(next) => onShow({ state: next })}
        />
      </Group>
      <MessageList
        query={{ ...messages, data: messages.data?.messages } as UseQueryResult<readonly Message[]>}
      />
      <TurnPages pagination={messages.data?.pagination} onPage={(next) => onShow({ state, page: next })} />
    </>
  )
}

/** `ofRecord`: all are about one record, which is not said then. */
export function MessageList({
  query,
  ofRecord = false,
}: {
  readonly query: UseQueryResult<readonly Message[]>
  readonly ofRecord?: boolean
}) {
  const { t } = useWords()
  return (
    <Listing
      label={t('templateTabs.messages')}
      query={query}
      nothing={t('messages.nothing')}
      keyOf={({ Id }) => Id}
      columns={[
        { title: t('messages.recipient'), of: ({ Recipient }) => <span className="cell">{Recipient}</span> },
        {
          title: t('templates.trigger'),
          of: ({ Template, Trigger }) => (
            <Go to={`/templates/${Template}`} className="value-link one-line">
              {Trigger}
            </Go>
          ),
        },
        ...(ofRecord
          ? []
          : [
              {
                title: t('deliveries.record'),
                of: ({ Record }: Message) => (
                  <ThingLink of={Record} className="one-line">
                    …{Record.slice(-6)}
                  </ThingLink>
                ),
              },
            ]),
        {
          title: t('users.state'),
          of: ({ State }) => (
            <Badge className="state" variant="dot" color={COLORS[State]}>
              {t(`messageState.${State}`)}
            </Badge>
          ),
        },
        { title: t('deliveries.attempts'), of: ({ Attempts }) => Attempts, isNumber: true },
        {
          title: t('deliveries.reply'),
          of: ({ Reason, Reply }) => <span className="cell">{Reason ?? Reply ?? '–'}</span>,
        },
        { title: t('deliveries.created'), of: ({ CreatedAt }) => <Time at={CreatedAt} /> },
        { title: t('actions'), isQuiet: true, of: (message) => <Decide message={message} /> },
      ]}
    />
  )
}

function Decide({ message: { Id, State, Recipient } }: { readonly message: Message }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const doing = useMutation({
    mutationFn: (what: 'resend' | 'sent' | 'failed') =>
      what === 'resend' ? resendMessage(Id) : settleMessage(Id, what),
    onSuccess: async () => {
      done(t('record.saved'))
      await queries.invalidateQueries({ queryKey: ['messages'] })
    },
  })
  if (State === 'due' || State === 'attempting') return null
  const ways = State === 'uncertain' ? (['sent', 'failed', 'resend'] as const) : (['resend'] as const)
  return (
    <Group gap={4} wrap="nowrap">
      {ways.map((way) => (
        <Button
          key={way}
          size="compact-xs"
          variant="default"
          aria-label={`${t(`messageWay.${way}`)}: ${Recipient}`}
          loading={doing.isPending && doing.variables === way}
          onClick={() => doing.mutate(way)}
        >
          {t(`messageWay.${way}`)}
        </Button>
      ))}
      {doing.error && <Trouble error={doing.error} />}
    </Group>
  )
}
