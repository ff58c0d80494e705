/** States of integrations and of what they have received: words first, the colour helps only. */
import { Badge } from '@mantine/core'
import type { InboxState, IntegrationState, SendingState } from '../api/integrations.ts'
import { useWords } from '../words/words.tsx'

const COLORS: Readonly<Record<IntegrationState, string>> = {
  off: 'gray',
  initialising: 'blue',
  running: 'teal',
  paused: 'yellow',
  failing: 'red',
}
const OF_MESSAGES: Readonly<Record<InboxState, string>> = {
  stored: 'blue',
  waiting: 'yellow',
  applied: 'teal',
  ignored: 'gray',
  rejected: 'red',
  conflict: 'red',
  quarantined: 'orange',
}

const OF_SENDINGS: Readonly<Record<SendingState, string>> = {
  due: 'blue',
  attempting: 'blue',
  sent: 'teal',
  skipped: 'gray',
  refused: 'orange',
  failed: 'red',
}

export function IntegrationStateBadge({ state }: { readonly state: IntegrationState }) {
  const { t } = useWords()
  return (
    <Badge className="state" variant="dot" color={COLORS[state]}>
      {t(`integrationState.${state}`)}
    </Badge>
  )
}

export function InboxStateBadge({ state }: { readonly state: InboxState }) {
  const { t } = useWords()
  return (
    <Badge className="state" variant="dot" color={OF_MESSAGES[state]}>
      {t(`inboxState.${state}`)}
    </Badge>
  )
}

export function SendingStateBadge({ state }: { readonly state: SendingState }) {
  const { t } = useWords()
  return (
    <Badge className="state" variant="dot" color={OF_SENDINGS[state]}>
      {t(`sendingState.${state}`)}
    </Badge>
  )
}
