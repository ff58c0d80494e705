/** What breaks and is mended: requests of tenants, work orders of the caretaker. */
import { buildingOfUnit, monthsAfter } from '../company.ts'
import { JOBS } from '../names.ts'
import { randomOf } from '../random.ts'
import { daysAfter, moment, workday } from './agenda.ts'
import { act, change, create, type Story } from './story.ts'

const FIRMS = ["O'Malley & Sons", 'Loodgietersbedrijf "De Kraan"', 'Élec Lefèvre', 'Müller Aufzüge GmbH']
const MONTHS = 12

export function planMaintenance(story: Story): void {
  const wanted = Math.max(24, Math.round(story.company.units * 0.6))
  for (let i = 0; i < wanted; i++) order(story, i)
}

function order(story: Story, i: number): void {
  const { agenda, as, keys, company } = story
  const random = randomOf(`work order ${i}`)
  const [Title, Category, Resolution] = random.pick(JOBS)
  const unit = random.between(0, company.units - 1)
  const day = monthsAfter(company.today, i % (MONTHS + 1), random.between(1, 27))
  const at = (days: number, hour: number) => moment(workday(day, days), hour, i % 60)
  const place = { Building: keys.building[buildingOfUnit(company, unit)], Unit: keys.unit[unit] }
  const Contractor = random.pick(FIRMS)
  let key = ''
  let request = ''
  const path = () => `workorder/${key}`
  if (i % 3 === 0)
    agenda.at(at(0, 8), async () => {
      const body = { Subject: Title, ...place, Channel: random.pick(['Phone', 'Email', 'Portal']) }
      request = await create(as.sven, 'servicerequest', body)
      await act(as.sven, `servicerequest/${request}`, 'acknowledge')
    })
  agenda.at(at(0, 9), async () => {
    key = await create(as.sven, 'workorder', {
      Title,
      ...place,
      Category,
      Priority: random.pick(['Low', 'Normal', 'Normal', 'High', 'Urgent']),
      WorkType: Category === 'Inspection' ? 'Inspection' : 'Corrective',
      DueDate: daysAfter(day, 21),
      ...(request && { ServiceRequest: request }),
    })
  })
  if (random.chance(0.05)) return agenda.at(at(1, 9), () => act(as.sven, path(), 'cancel', 'Reported twice'))
  agenda.at(at(1, 10), async () => {
    await change(as.sven, path(), { Contractor }, `Call to ${Contractor}`)
    await act(as.sven, path(), 'assign')
  })
  agenda.at(at(3, 8), () => act(as.sven, path(), 'start'))
  if (random.chance(0.15)) {
    agenda.at(at(3, 16), () => act(as.sven, path(), 'hold', 'Waits for a part'))
    agenda.at(at(9, 8), () => act(as.sven, path(), 'resume', 'The part has come'))
  }
  const hours = random.between(1, 16) / 2
  // Firms of two countries send their bills.
  const Currency = Contractor.startsWith('O') ? 'GBP' : 'EUR'
  agenda.at(at(10, 15), async () => {
    const cost = { Amount: 45 + hours * 62.5, Currency }
    const body = { ActualHours: hours, ActualCost: cost, Resolution }
    await change(as.sven, path(), body, 'Report of the contractor')
    await act(as.sven, path(), 'complete', 'Seen and found good')
    if (request) await act(as.sven, `servicerequest/${request}`, 'resolve', Resolution)
  })
  if (!random.chance(0.08)) return
  agenda.at(at(14, 9), () => act(as.sven, path(), 'reopen', 'It drips again'))
  agenda.at(at(16, 14), () => act(as.sven, path(), 'complete', 'Sealed again, free of charge'))
}
