/** The statements of an account, the latest first; where one is missing, between which balances. */
import { Badge, Text } from '@mantine/core'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { STATEMENT, statementsQuery } from '../api/bank.ts'
import { textIn, type Record_ } from '../api/records.ts'
import { Go } from '../app/go.tsx'
import { isMoney, moneyText } from '../records/values/value.tsx'
import { Listing } from '../shared/listing.tsx'
import { TurnPages } from '../shared/pages.tsx'
import { dateText } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'

const CHECKS = { Ok: 'teal', Gap: 'orange', Unknown: 'gray', Incomplete: 'red' } as const
type Check = keyof typeof CHECKS

export interface StatementsProps {
  readonly account: string
  readonly page: string | undefined
  readonly onPage: (page: string | undefined) => void
}

export function Statements({ account, page, onPage }: StatementsProps) {
  const { t, language } = useWords()
  const statements = useQuery(statementsQuery(account, page))
  const day = (value: unknown) => (typeof value === 'string' ? dateText(value, language) : '–')
  const money = (value: Record_[string] | undefined) => (
    <span className="one-line">{isMoney(value) ? moneyText(value, language) : '–'}</span>
  )
  return (
    <>
      <Listing
        label={t('bankTab.statements')}
        query={{ ...statements, data: statements.data?.records } as UseQueryResult<readonly Record_[]>}
        nothing={t('bank.noStatements')}
        keyOf={({ Id }) => Id}
        columns={[
          {
            title: t('bank.statement'),
            of: (statement) => (
              <Go to={`/records/${STATEMENT}/${statement.Id}`} className="value-link">
                {textIn(statement, 'Number') ?? `…${statement.Id.slice(-6)}`}
              </Go>
            ),
          },
          {
            title: t('bank.days'),
            of: ({ From, To }) => (
              <span className="one-line">{From === To ? day(To) : `${day(From)} – ${day(To)}`}</span>
            ),
          },
          { title: t('bank.check'), of: (statement) => <CheckOf statement={statement} /> },
          { title: t('bank.opening'), of: ({ OpeningBalance }) => money(OpeningBalance), isNumber: true },
          { title: t('bank.closing'), of: ({ ClosingBalance }) => money(ClosingBalance), isNumber: true },
          { title: t('bankTab.lines'), of: ({ Lines }) => Number(Lines ?? 0), isNumber: true },
        ]}
      />
      <TurnPages pagination={statements.data?.pagination} onPage={onPage} />
    </>
  )
}

function CheckOf({ statement }: { readonly statement: Record_ }) {
  const { t, language } = useWords()
  const { Check: check, PreviousStatement, OpeningBalance } = statement
  if (typeof check !== 'string' || !(check in CHECKS)) return <>–</>
  const before = PreviousStatement as { readonly ClosingBalance?: Record_[string] } | null
  const closing = before?.ClosingBalance
  return (
    <>
      <Badge className="state" variant="dot" color={CHECKS[check as Check]}>
        {t(`bankCheck.${check as Check}`)}
      </Badge>
      {check === 'Gap' && isMoney(closing) && isMoney(OpeningBalance) && (
        <Text size="xs" miw={240} maw={320}>
          {t('bank.gapText', {
            closing: moneyText(closing, language),
            opening: moneyText(OpeningBalance, language),
          })}
        </Text>
      )}
    </>
  )
}
