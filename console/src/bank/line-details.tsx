/** A line: what it says, what it is for or may be for and why, and to decide on it. */
import { Alert, Anchor, Box, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { LINE, lineStandingQuery, type LineStanding } from '../api/bank.ts'
import { mayDo, useSeen, type Seen } from '../api/objects.ts'
import { textIn, type Record_ } from '../api/records.ts'
import { Go } from '../app/go.tsx'
import { refreshRecord } from '../records/record/refresh.ts'
import { isMoney, lookedUp, moneyText } from '../records/values/value.tsx'
import { PageLoading } from '../shared/page.tsx'
import { dateText } from '../shared/times.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { ChooseMatch } from './choose-match.tsx'
import { Debts } from './debts.tsx'
import { LineStateBadge } from './lines.tsx'
import { Proposals } from './proposals.tsx'
import { TakeBack, WithReason } from './with-reason.tsx'

export interface LineDetailsProps {
  readonly line: Record_
  readonly onDecided: () => void
}

export function LineDetails({ line, onDecided }: LineDetailsProps) {
  const { t } = useWords()
  const queries = useQueryClient()
  const seen = useSeen()
  const standing = useQuery(lineStandingQuery(line.Id))
  const box = useRef<HTMLDivElement>(null)
  const refresh = async () => {
    await Promise.all([
      refreshRecord(queries, LINE, line.Id),
      queries.invalidateQueries({ queryKey: ['bank'] }),
      ...['payment', 'invoice'].map((object) => queries.invalidateQueries({ queryKey: ['records', object] })),
    ])
  }
  // Where it takes the place of the list, whoever reads by ear goes on here.
  useEffect(() => {
    if (document.activeElement === document.body) box.current?.focus()
  }, [])
  return (
    <Box ref={box} id="line-details" tabIndex={-1} component="section" aria-label={t('bank.line')}>
      <Facts line={line} />
      {standing.error && <Trouble error={standing.error} onRetry={() => void standing.refetch()} />}
      {standing.data && seen ? (
        <Decisions
          line={line}
          standing={standing.data}
          seen={seen}
          onDone={(isDecided) => void refresh().then(() => isDecided && onDecided())}
        />
      ) : (
        !standing.error && <PageLoading />
      )}
    </Box>
  )
}

function Facts({ line }: { readonly line: Record_ }) {
  const { t, language } = useWords()
  const text = (name: string) => textIn(line, name)
  const day = text('BookingDate')
  const facts = [
    [t('bank.booked'), day && dateText(day, language)],
    [t('bank.counterparty'), text('CounterpartyIban')],
    [t('bank.tenant'), lookedUp(line['Tenant'])?.name],
    [t('bank.said'), text('RemittanceInformation')],
    [t('bank.reference'), text('StructuredReference') ?? text('EndToEndId')],
    [t('bank.returned'), text('ReturnReason')],
  ] as const
  return (
    <Stack gap={6} mb="md">
      <Group justify="space-between" align="baseline" gap="xs">
        <Title order={2}>{text('CounterpartyName') ?? t('bank.nameless')}</Title>
        <Text fw={600} className="number">
          {isMoney(line['Amount']) && moneyText(line['Amount'], language)}
        </Text>
      </Group>
      <Box component="dl" className="facts">
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </Box>
      <Group gap="xs">
        <LineStateBadge state={line['Status'] as LineStanding['Status'] | null} />
        <Anchor component={Go} to={`/records/${LINE}/${line.Id}`} search={{ tab: 'history' }} size="sm">
          {t('bank.toRecord')}
        </Anchor>
      </Group>
    </Stack>
  )
}

interface DecisionsProps {
  readonly line: Record_
  readonly standing: LineStanding
  readonly seen: Seen
  /** `isDecided`: the next line can be looked at. */
  readonly onDone: (isDecided: boolean) => void
}

function Decisions({ line, standing, seen, onDone }: DecisionsProps) {
  const { t } = useWords()
  const [asked, setAsked] = useState<'ignore' | 'choose'>()
  const may = (object: string, action: string) =>
    seen.Objects.some((one) => one.Object === object && mayDo(one, action))
  const mayChange = may(LINE, 'update')
  const mayMatch = mayChange && may('payment', 'workflow:receive') && may('invoice', 'workflow:pay')
  const isOpen = standing.Status === 'Unmatched' || standing.Status === 'Proposed'
  if (!isOpen)
    return (
      <Stack gap="sm">
        {standing.MatchRule && <Text size="sm">{t(`matchRule.${standing.MatchRule}`)}</Text>}
        <Debts
          label={t('bank.matched')}
          line={line}
          parts={standing.Matches.map(({ Payment, Invoice, Amount }) =>
            Invoice === null ? { Payment, Amount } : { Payment, Invoice, Amount },
          )}
        />
        {(standing.Status === 'Ignored' ? mayChange : mayMatch) && (
          <TakeBack line={line.Id} onDone={() => onDone(false)} />
        )}
      </Stack>
    )
  return (
    <Stack gap="md">
      {!mayMatch && (
        <Alert color="yellow" variant="light">
          {t('bank.notYours')}
        </Alert>
      )}
      <Proposals line={line} standing={standing} mayMatch={mayMatch} onDone={() => onDone(true)} />
      <Group gap="xs">
        {mayMatch && (
          <Button variant="default" onClick={() => setAsked('choose')} aria-expanded={asked === 'choose'}>
            {t('bank.choose')}
          </Button>
        )}
        {mayChange && (
          <Button variant="default" onClick={() => setAsked('ignore')} aria-expanded={asked === 'ignore'}>
            {t('bank.ignore')}
          </Button>
        )}
      </Group>
      {asked === 'choose' && (
        <ChooseMatch line={line} onDone={() => onDone(true)} onCancel={() => setAsked(undefined)} />
      )}
      {asked === 'ignore' && (
        <WithReason line={line.Id} onDone={() => onDone(true)} onCancel={() => setAsked(undefined)} />
      )}
    </Stack>
  )
}
