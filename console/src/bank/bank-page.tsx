/** The bank accounts of the company, and how each stands. */
import { Badge, Button } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { accountsQuery, accountStandingQuery, STATEMENT } from '../api/bank.ts'
import { mayDo, useSeen } from '../api/objects.ts'
import { textIn, type Record_ } from '../api/records.ts'
import { Go } from '../app/go.tsx'
import { isMoney, moneyText } from '../records/values/value.tsx'
import { Listing } from '../shared/listing.tsx'
import { Page } from '../shared/page.tsx'
import { dateText } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'

export function BankPage() {
  const { t } = useWords()
  const accounts = useQuery(accountsQuery)
  const statement = useSeen()?.Objects.find((object) => object.Object === STATEMENT)
  return (
    <Page
      title={t('bank.title')}
      text={t('bank.text')}
      actions={
        statement &&
        mayDo(statement, 'import') && (
          <Button
            component={Go}
            to="/imports"
            search={{ into: STATEMENT }}
            leftSection={<IconFileImport size={16} aria-hidden />}
          >
            {t('bank.import')}
          </Button>
        )
      }
    >
      <Listing
        label={t('bank.title')}
        query={{ ...accounts, data: accounts.data?.records } as UseQueryResult<readonly Record_[]>}
        nothing={t('bank.nothing')}
        keyOf={({ Id }) => Id}
        columns={[
          {
            title: t('bank.account'),
            of: (account) => (
              <Go to={`/bank/${account.Id}`} className="value-link cell">
                {textIn(account, 'Name')}
              </Go>
            ),
          },
          { title: t('bank.undecided'), of: ({ Id }) => <Undecided account={Id} />, isNumber: true },
          { title: t('bank.gaps'), of: ({ Id }) => <Gaps account={Id} /> },
          { title: t('bank.balance'), of: ({ Id }) => <Balance account={Id} />, isNumber: true },
          { title: t('bank.number'), of: (account) => <span className="one-line">{numberOf(account)}</span> },
        ]}
      />
    </Page>
  )
}

/** The IBAN in groups of four, as people compare it; else the number. */
export function numberOf(account: Record_): string {
  const iban = textIn(account, 'Iban')?.replaceAll(/(.{4})(?=.)/g, '$1 ')
  return iban ?? textIn(account, 'AccountNumber') ?? '–'
}

function Balance({ account }: { readonly account: string }) {
  const { language, t } = useWords()
  const last = useQuery(accountStandingQuery(account)).data?.last
  if (!last || !isMoney(last['ClosingBalance'])) return <>–</>
  const at = textIn(last, 'To')
  return (
    <>
      <span className="one-line">{moneyText(last['ClosingBalance'], language)}</span>
      {at && <span className="aside">{t('bank.balanceOn', { day: dateText(at, language) })}</span>}
    </>
  )
}

function Undecided({ account }: { readonly account: string }) {
  const { number } = useWords()
  const { data } = useQuery(accountStandingQuery(account))
  return <>{data ? number(data.open) : '–'}</>
}

function Gaps({ account }: { readonly account: string }) {
  const { t, number } = useWords()
  const { data } = useQuery(accountStandingQuery(account))
  if (!data) return <>–</>
  if (data.gaps === 0) return <>{t('bank.noGaps')}</>
  return (
    <Go to={`/bank/${account}`} search={{ tab: 'statements' }} className="value-link">
      <Badge className="state" color="orange" variant="dot">
        {number(data.gaps)}
      </Badge>
    </Go>
  )
}
