/** What was sent about a record: mails, to webhooks, to other systems; each with what became of it. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { integrationsQuery, sentQuery } from '../../api/integrations.ts'
import { mailsInHistoryQuery } from '../../api/records.ts'
import { deliveriesAboutQuery, webhooksQuery } from '../../api/webhooks.ts'
import type { Search } from '../../app/search.ts'
import type { WordKey } from '../../words/words.tsx'
import type { Others } from './others.ts'

export interface WasSent {
  readonly kind: 'mail' | 'webhook' | 'integration'
  readonly id: string
  readonly at: string
  /** To whom, or where. */
  readonly title: string
  readonly state: WordKey
  readonly why: string | null
  readonly isTrouble: boolean
  /** Where there is more of it. */
  readonly to: string
  readonly search?: Search
}

const TROUBLE = ['failed', 'bounced', 'Failed', 'uncertain', 'refused']

/** Nothing is asked for that one may not see. */
export function useWhatWasSent(
  object: string,
  key: string,
  may: Others,
): { readonly sent: readonly WasSent[]; readonly error: Error | null } {
  const mails = useQuery({ ...mailsInHistoryQuery(object, key), enabled: may.mails })
  const webhooks = useQuery({ ...webhooksQuery, enabled: may.webhooks })
  const delivered = useQueries({
    queries: (webhooks.data ?? []).map(({ Id }) => deliveriesAboutQuery(Id, key)),
  })
  const integrations = useQuery({ ...integrationsQuery, enabled: may.integrations })
  const exchanged = useQueries({
    queries: (integrations.data ?? []).map(({ Id }) => sentQuery(Id, { record: key })),
  })
  const asked = [mails, webhooks, ...delivered, integrations, ...exchanged]
  const ofMails = (mails.data ?? []).map(({ Event, At, Reason, Message }, index): WasSent => {
    const state = Event.slice(Event.indexOf('.') + 1)
    return {
      kind: 'mail',
      id: `${Message.Id} ${index}`,
      at: At,
      title: Message.Recipient,
      state: `messageState.${state === 'created' ? 'skipped' : state}` as WordKey,
      why: Reason,
      isTrouble: TROUBLE.includes(state),
      to: `/templates/${Message.Template}`,
    }
  })
  const ofWebhooks = (webhooks.data ?? []).flatMap(({ Id: webhook, Url }, place) =>
    (delivered[place]?.data?.deliveries ?? []).map(({ Id, CreatedAt, State, LastError }): WasSent => ({
      kind: 'webhook',
      id: Id,
      at: CreatedAt,
      title: Url,
      state: `deliveries.${State}`,
      why: State === 'Delivered' ? null : LastError,
      isTrouble: TROUBLE.includes(State),
      to: `/webhooks/${webhook}`,
      search: { delivery: Id },
    })),
  )
  const ofIntegrations = (integrations.data ?? []).flatMap(({ Id: integration, Name }, place) =>
    (exchanged[place]?.data?.sendings ?? []).map(({ Id, CreatedAt, State, Reason }): WasSent => ({
      kind: 'integration',
      id: Id,
      at: CreatedAt,
      title: Name,
      state: `sendingState.${State}`,
      // What the other system answers to what went well is of no use here.
      why: State === 'sent' ? null : Reason,
      isTrouble: TROUBLE.includes(State),
      to: `/integrations/${integration}`,
      search: { tab: 'sent' },
    })),
  )
  const error = asked.find((one) => one.error !== null)?.error ?? null
  return { sent: [...ofMails, ...ofWebhooks, ...ofIntegrations], error }
}
