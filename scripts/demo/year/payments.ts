/** Rents that are collected by direct debit: expected on the first of the month, most of them received within the week. */
import { inParallel, listAll } from '../api-client.ts'
import { monthsAfter, type Money } from '../company.ts'
import { randomOf } from '../random.ts'
import { daysAfter, moment, workday } from './agenda.ts'
import { act, type Story } from './story.ts'

const ROWS = 500
const WIDTH = 16
const MONTHS = 12

interface Contract {
  readonly Id: string
  readonly Tenant: { readonly Id: string }
  readonly MonthlyRent: Money
}

/** @param invoiced by Key of the building: its tenants pay by bank transfer, against invoices */
export function planPayments(story: Story, invoiced: string): void {
  for (let month = 0; month <= MONTHS; month++) {
    const first = monthsAfter(story.company.today, month)
    let keys: string[] = []
    story.agenda.at(moment(workday(first), 14), async () => {
      keys = await expect(story, first, invoiced)
    })
    story.agenda.at(moment(workday(daysAfter(first, 5)), 7, 30), () => collect(story, keys, month))
  }
}

async function expect({ as }: Story, first: string, invoiced: string): Promise<string[]> {
  const filter = `Status eq 'Active' and StartDate le ${first} and EndDate ge ${first} and Building ne '${invoiced}'`
  const contracts = await listAll<Contract>(as.piotr, 'contract', { filter, sort: 'ContractNumber' })
  const bodies = contracts.map(({ Id, Tenant, MonthlyRent }) => ({
    Tenant: Tenant.Id,
    Contract: Id,
    Amount: MonthlyRent,
    PaymentType: 'Rent',
    Method: 'DirectDebit',
    DueDate: daysAfter(first, 4),
    Reference: `Rent ${first.slice(0, 7)}`,
  }))
  const keys: string[] = []
  for (let from = 0; from < bodies.length; from += ROWS) {
    const Records = bodies.slice(from, from + ROWS)
    const { data } = await as.piotr.call<{ Id: string }[]>('POST', 'payment/batch', {
      body: { Records },
      reason: 'Monthly run of direct debits',
    })
    keys.push(...data.map(({ Id }) => Id))
  }
  return keys
}

async function collect(
  { as, agenda, company }: Story,
  keys: readonly string[],
  month: number,
): Promise<void> {
  const failed: string[] = []
  await inParallel(keys, WIDTH, async (key, i) => {
    const random = randomOf(`direct debit ${month} ${i}`)
    const fails = random.chance(0.03) || i === (month * 5) % keys.length
    if (!fails) return void (await act(as.piotr, `payment/${key}`, 'receive', 'Collected by the bank'))
    failed.push(key)
    await act(as.piotr, `payment/${key}`, 'fail', random.pick(['Account closed (AC04)', 'No money (AM04)']))
  })
  const day = workday(monthsAfter(company.today, month, 20))
  failed.sort().forEach((key, i) => {
    // Of each three that came back one is still owed.
    if ((i + month) % 3 === 0) return
    agenda.at(moment(day, 10, i % 60), async () => {
      await act(as.piotr, `payment/${key}`, 'initiate', 'Talked to the tenant; tried once more')
      await act(as.piotr, `payment/${key}`, 'receive', 'This time it worked')
    })
  })
}
