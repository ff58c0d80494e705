/**
 * One lease follows on another: offered, submitted, approved or not, run out, ended before its time. By people, each by the
 * workflow; that a lease has run out the service notes itself.
 */
import type { ApiClient } from '../api-client.ts'
import { buildingOfUnit, leaseOf, monthsAfter, type Money } from '../company.ts'
import { randomOf } from '../random.ts'
import { daysAfter, moment, workday } from './agenda.ts'
import { waitAfter } from './midnights.ts'
import { raised } from './rents.ts'
import { act, change, create, type Story } from './story.ts'

/** A lease that is in force, or about to be. */
interface Running {
  readonly unit: number
  readonly tenant: number
  readonly rent: Money
  readonly end: string
  /** The how-manyth of the unit in this year. */
  readonly turn: number
  /** Its Key, once it has one. */
  readonly key: () => string
}

export function planLeases(story: Story): void {
  const { company, keys } = story
  const turns = Math.ceil(company.contracts / company.units)
  for (let unit = 0; unit < company.units; unit++) {
    const i = (turns - 1) * company.units + unit
    const key = keys.contract[i]
    if (key === undefined) continue
    const { tenant, rent, start, months, status } = leaseOf(company, i)
    const lease = { unit, tenant, rent, end: lastDay(start, months), turn: 0, key: () => key }
    if (status === 'Active') plan(story, lease)
    else if (['Draft', 'PendingApproval'].includes(status)) {
      if (settleOpen(story, key, unit, status)) plan(story, lease)
    } else if (unit % 4 !== 0) letAgain(story, lease)
  }
}

/** The last day of a lease. */
function lastDay(start: string, months: number): string {
  return daysAfter(monthsAfter(start, months, Number(start.slice(8))), -1)
}

/** Decides in the first weeks on what was not decided when it was taken over; whether it comes into force. */
function settleOpen({ agenda, as, company }: Story, key: string, unit: number, status: string): boolean {
  const random = randomOf(`open lease ${unit}`)
  const day = workday(daysAfter(company.today, random.between(2, 9)))
  const path = `contract/${key}`
  if (status === 'Draft') {
    if (random.chance(0.25)) {
      agenda.at(moment(day, 10, unit % 60), () =>
        act(as.ingrid, path, 'cancel', 'The tenant has found something else'),
      )
      return false
    }
    agenda.at(moment(day, 10, unit % 60), () =>
      act(as.ingrid, path, 'submit', 'Signed by the tenant; please approve'),
    )
  }
  agenda.at(moment(workday(day, 2), 15, unit % 60), () =>
    act(as.amelie, path, 'approve', 'Taken over from the old system; papers are complete'),
  )
  return true
}

function plan(story: Story, lease: Running): void {
  const { agenda, as, end: last } = story
  waitAfter(story, lease.end)
  const random = randomOf(`after ${lease.unit} ${lease.turn}`)
  const isEnded = random.chance(0.07)
  const end = isEnded ? workday(daysAfter(lease.end, -random.between(40, 120))) : lease.end
  if (end < daysAfter(story.company.today, 20)) return
  if (daysAfter(end, -60) >= last) return
  if (isEnded)
    agenda.at(moment(end, 11, lease.unit % 60), () =>
      act(as.amelie, `contract/${lease.key()}`, 'terminate', random.pick(WHY_ENDED)),
    )
  const stays = !isEnded && random.chance(0.78)
  const start = stays ? daysAfter(end, 1) : daysAfter(end, random.between(20, 75))
  if (!stays) leave(story, lease.unit, end, start)
  const months = random.pick([12, 12, 12, 9, 6])
  const tenant = stays ? lease.tenant : random.between(0, story.keys.tenant.length - 1)
  const rent = raised(lease.rent, stays ? 2.5 : random.between(3, 7))
  const turn = lease.turn + 1
  const key = offer(story, { unit: lease.unit, turn, tenant, rent, start, months, isRenewal: stays })
  plan(story, { unit: lease.unit, turn, tenant, rent, end: lastDay(start, months), key })
}

/** A unit that was empty when it was taken over; some stay so. */
function letAgain(story: Story, { unit, rent }: Running): void {
  const random = randomOf(`let again ${unit}`)
  const start = daysAfter(story.company.today, random.between(20, 75))
  const months = random.pick([12, 9])
  const tenant = random.between(0, story.keys.tenant.length - 1)
  const key = offer(story, { unit, turn: 1, tenant, rent, start, months, isRenewal: false })
  plan(story, { unit, turn: 1, tenant, rent, end: lastDay(start, months), key })
}

const WHY_ENDED = [
  'Letter received: moves to another city',
  'Ended by agreement; the tenant has bought a house ("finally!")',
  'Moves to a larger unit in the same building',
  'Three rents behind; agreed to leave',
]

function leave({ agenda, as, keys }: Story, unit: number, end: string, start: string): void {
  const path = `unit/${keys.unit[unit]!}`
  agenda.at(moment(daysAfter(end, 1), 9, unit % 60), () =>
    change(as.tomas, path, { Status: 'Vacant' }, 'Keys returned, meters read'),
  )
  agenda.at(moment(start, 9, unit % 60), () =>
    change(as.tomas, path, { Status: 'Occupied' }, 'Keys handed over'),
  )
}

interface Offer {
  readonly unit: number
  readonly turn: number
  readonly tenant: number
  readonly rent: Money
  readonly start: string
  readonly months: number
  readonly isRenewal: boolean
}

/** From the draft to the approval. */
function offer(story: Story, lease: Offer): () => string {
  const { agenda, as, keys, company } = story
  const { unit, start, months, isRenewal } = lease
  const random = randomOf(`offer ${unit} ${lease.turn}`)
  const earliest = daysAfter(company.today, 2)
  const wished = daysAfter(start, -random.between(25, 55))
  const asked = workday(wished < earliest ? earliest : wished)
  const at = (days: number, hour: number) => moment(workday(asked, days), hour, (unit * 7) % 60)
  let key = ''
  const path = () => `contract/${key}`
  const manager = managerOn(story, asked, unit)
  const body = {
    Tenant: keys.tenant[lease.tenant],
    Building: keys.building[buildingOfUnit(company, unit)],
    Unit: keys.unit[unit],
    MonthlyRent: lease.rent,
    StartDate: start,
    Duration: months,
    LeaseType: isRenewal ? 'Renewal' : 'New',
  }
  agenda.at(at(0, 9), async () => {
    key = await create(
      manager,
      'contract',
      body,
      isRenewal ? 'Renewal agreed by telephone' : 'After the viewing',
    )
  })
  if (unit % 13 === 5 && lease.turn === 1) double(story, manager, body, asked, unit % 2 === 1)
  agenda.at(at(2, 11), () => act(manager, path(), 'submit', random.pick(WHY_SUBMITTED)))
  if (random.chance(0.86)) {
    agenda.at(at(4, 15), () => act(as.amelie, path(), 'approve', random.pick(WHY_APPROVED)))
    return () => key
  }
  agenda.at(at(4, 15), () => act(as.amelie, path(), 'reject', 'Below the market; ask for 2 % more'))
  agenda.at(at(7, 9), () => act(manager, path(), 'revise', 'Talked to the tenant again'))
  agenda.at(at(7, 10), () =>
    change(manager, path(), { MonthlyRent: raised(lease.rent, 2) }, 'As the head of leasing asked'),
  )
  agenda.at(at(8, 11), () => act(manager, path(), 'submit', 'With the higher rent'))
  agenda.at(at(10, 14), () => act(as.amelie, path(), 'approve', 'Better now'))
  return () => key
}

/** Ingrid has left in the ninth month; what was hers Tomáš took over. */
function managerOn({ as, company }: Story, day: string, unit: number): ApiClient {
  return unit % 2 === 0 && day < monthsAfter(company.today, 8) ? as.ingrid : as.tomas
}

/** The same lease entered a second time, and deleted; at times the wrong one of the two, which is restored. */
function double(
  { agenda }: Story,
  manager: ApiClient,
  body: object,
  asked: string,
  isRestored: boolean,
): void {
  let key = ''
  agenda.at(moment(asked, 14), async () => {
    key = await create(manager, 'contract', { ...body, Notes: 'Draft of the afternoon' })
  })
  const next = workday(asked, 1)
  agenda.at(moment(next, 9), () => manager.call('DELETE', `contract/${key}`, { reason: 'Entered twice' }))
  if (!isRestored) return
  const reason = 'Deleted by mistake: it has the notes'
  agenda.at(moment(next, 10), () => manager.call('POST', `contract/${key}/restore`, { reason }))
  agenda.at(moment(next, 11), () =>
    act(manager, `contract/${key}`, 'cancel', 'Notes copied to the other one'),
  )
}

const WHY_SUBMITTED = [
  'Signed by the tenant',
  'As agreed by telephone',
  'Papers are complete',
  'Deposit is paid',
]
const WHY_APPROVED = [
  'Agreed',
  'Owner agreed by telephone, Mme Lefèvre',
  'In line with the market',
  'Fine, "but next year more"',
]
