/** A bank account: its lines, to be decided on one after the other, and its statements. */
import { Button, Tabs } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ACCOUNT, accountStandingQuery, rematchAccount } from '../api/bank.ts'
import { mayDo, useSeen } from '../api/objects.ts'
import { recordQuery, textIn } from '../api/records.ts'
import { useGo, usePathNames } from '../app/go.tsx'
import type { Search } from '../app/search.ts'
import { done } from '../shared/notify.ts'
import { Page, PageLoading } from '../shared/page.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { numberOf } from './bank-page.tsx'
import { Lines } from './lines.tsx'
import { Statements } from './statements.tsx'

const TABS = ['lines', 'statements'] as const

export function AccountPage() {
  const { t, number } = useWords()
  const { key = '' } = usePathNames()
  const go = useGo()
  const { tab: asked, ...search }: Search = useSearch({ strict: false })
  const tab = TABS.find((one) => one === asked) ?? 'lines'
  const show = (next: Search) =>
    go(`/bank/${key}`, { search: { tab: tab === 'lines' ? undefined : tab, ...next }, replace: true })
  const account = useQuery(recordQuery(ACCOUNT, key))
  const standing = useQuery(accountStandingQuery(key))
  if (account.error) return <Trouble error={account.error} onRetry={() => void account.refetch()} />
  if (!account.data) return <PageLoading />
  const { record } = account.data
  const name = textIn(record, 'Name') ?? key
  const counts = { lines: standing.data?.open, statements: standing.data?.gaps }
  const label = (one: (typeof TABS)[number]) => {
    const count = counts[one] ?? 0
    return count === 0 ? t(`bankTab.${one}`) : t(`bankTab.${one}Open`, { count: number(count) })
  }
  return (
    <Page title={name} text={numberOf(record)} actions={<Rematch account={key} />}>
      <Tabs value={tab} onChange={(next) => show({ tab: next ?? undefined })} keepMounted={false}>
        <Tabs.List aria-label={name}>
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {label(one)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} pt="sm">
          {tab === 'lines' && (
            <Lines account={key} search={search} onShow={(next) => show({ ...search, ...next })} />
          )}
          {tab === 'statements' && (
            <Statements account={key} page={search.page} onPage={(page) => show({ page })} />
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

/** After invoices or tenants were added, lines may be for them. */
function Rematch({ account }: { readonly account: string }) {
  const { t, number } = useWords()
  const queries = useQueryClient()
  const object = useSeen()?.Objects.find((one) => one.Object === ACCOUNT)
  const matching = useMutation({
    mutationFn: () => rematchAccount(account),
    onSuccess: async ({ Lines: lines, Matched, Proposed }) => {
      done(
        t('bank.rematched', { lines: number(lines), matched: number(Matched), proposed: number(Proposed) }),
      )
      await queries.invalidateQueries()
    },
  })
  if (!object || !mayDo(object, 'update')) return null
  return (
    <>
      <Button variant="default" loading={matching.isPending} onClick={() => matching.mutate()}>
        {t('bank.rematch')}
      </Button>
      {matching.error && <Trouble error={matching.error} />}
    </>
  )
}
