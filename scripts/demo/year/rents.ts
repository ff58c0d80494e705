/** Rents go up with prices in January, and mistakes are made and put right. */
import { inParallel, listAll } from '../api-client.ts'
import { monthsAfter, type Money } from '../company.ts'
import { moment, workday } from './agenda.ts'
import { act, change, type Story } from './story.ts'

/** Consumer prices of the year before, in per cent. */
const INFLATION: Readonly<Record<string, number>> = {
  EUR: 2.4,
  CHF: 0.7,
  GBP: 3.1,
  PLN: 4.3,
  SEK: 1.9,
  DKK: 1.6,
  CZK: 2.8,
  ISK: 5.2,
}
const WITHOUT_DECIMALS = new Set(['ISK'])
const WIDTH = 8

/** A rent so many per cent higher, in amounts that its currency has. */
export function raised({ Amount, Currency }: Money, rate: number): Money {
  const unit = WITHOUT_DECIMALS.has(Currency) ? 1 : 100
  return { Amount: Math.round(Amount * (1 + rate / 100) * unit) / unit, Currency }
}

interface Contract {
  readonly Id: string
  readonly MonthlyRent: Money
}

/** @param filter beside that it is in force */
export function runningContracts({ as }: Pick<Story, 'as'>, filter = ''): Promise<Contract[]> {
  const all = `Status eq 'Active'${filter && ` and ${filter}`}`
  return listAll(as.maria, 'contract', { filter: all, sort: 'ContractNumber' })
}

export function planRents(story: Story): void {
  indexation(story)
  for (const month of [1, 5, 9, 11]) typingError(story, month)
  for (let month = 1; month < 12; month += 2) withoutReason(story, month)
  for (const month of [3, 7]) recalled(story, month)
}

function indexation(story: Story): void {
  const { agenda, as, company } = story
  const year =
    company.today.slice(5) === '01-01' ? company.today.slice(0, 4) : Number(company.today.slice(0, 4)) + 1
  const day = workday(`${year}-01-02`)
  agenda.at(moment(day, 9), async () => {
    const contracts = await runningContracts(story)
    await inParallel(contracts, WIDTH, async ({ Id, MonthlyRent }) => {
      const rate = INFLATION[MonthlyRent.Currency] ?? 2
      const reason = `Indexation of 1 January ${year}: consumer prices +${rate} %`
      await change(as.tomas, `contract/${Id}`, { MonthlyRent: raised(MonthlyRent, rate) }, reason)
    })
  })
}

/** One zero too many in the evening; the accountant finds it, and it is corrected the next morning. */
function typingError(story: Story, month: number): void {
  const { agenda, as, company } = story
  const day = workday(monthsAfter(company.today, month, 19))
  let wrong: Contract | undefined
  agenda.at(moment(day, 16, 50), async () => {
    const contracts = await runningContracts(story)
    wrong = contracts[(month * 7) % contracts.length]!
    const { Amount, Currency } = raised(wrong.MonthlyRent, 1)
    const MonthlyRent = { Amount: Math.round(Amount * 1_000) / 100, Currency }
    await change(as.tomas, `contract/${wrong.Id}`, { MonthlyRent }, 'Rent review')
  })
  agenda.at(moment(workday(day, 1), 9, 10), () => {
    const reason = 'Typing error: one zero too many. Found by Piotr before anything was sent'
    return change(as.tomas, `contract/${wrong!.Id}`, { MonthlyRent: raised(wrong!.MonthlyRent, 1) }, reason)
  })
}

/** What an auditor looks for: a rent that was changed, and no word about why. */
function withoutReason(story: Story, month: number): void {
  const { agenda, as, company } = story
  agenda.at(moment(workday(monthsAfter(company.today, month, 12)), 17, 40), async () => {
    const contracts = await runningContracts(story)
    const { Id, MonthlyRent } = contracts[(month * 11) % contracts.length]!
    await change(as.tomas, `contract/${Id}`, { MonthlyRent: raised(MonthlyRent, -3) })
  })
}

/** Submitted too early, and taken back before anybody has decided. */
function recalled(story: Story, month: number): void {
  const { agenda, as, company } = story
  agenda.at(moment(workday(monthsAfter(company.today, month, 23)), 13), async () => {
    const filter = encodeURIComponent("Status eq 'Draft'")
    const { data } = await as.tomas.call<Contract[]>('GET', `contract?pageSize=1&filter=${filter}`)
    const [draft] = data
    if (!draft) return
    await act(as.tomas, `contract/${draft.Id}`, 'submit', 'All papers are there')
    await act(as.tomas, `contract/${draft.Id}`, 'recall', 'They are not: the guarantee is missing')
  })
}
