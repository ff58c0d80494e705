/**
 * A year of the demo's company: it is taken over from an old system, its people are let in, and then they work. All through the
 * public API, with the clock of the process put forward from one thing to the next.
 */
import { apiClient } from '../api-client.ts'
import { monthsAfter, type Company } from '../company.ts'
import { createCompany } from '../create-records.ts'
import type { DemoClock } from '../demo-clock.ts'
import { PEOPLE, ROLES, signedIn, type Who } from '../people.ts'
import type { Progress } from '../progress.ts'
import { agenda, moment, workday } from './agenda.ts'
import { planBank } from './bank.ts'
import { planChanges } from './changes.ts'
import { planDirectory } from './directory.ts'
import { planIntegrations } from './integrations.ts'
import { planLeases } from './leases.ts'
import { planMaintenance } from './maintenance.ts'
import { planPartners } from './partners.ts'
import { planPayments } from './payments.ts'
import { planRents } from './rents.ts'
import { create, type Story } from './story.ts'

export interface Living {
  readonly url: string
  readonly token: string
  /** Of everybody. */
  readonly password: string
  readonly company: Company
  /** In ms since 1970. */
  readonly end: number
  readonly clock: DemoClock
  readonly progress: Progress
}

const MONTHS = 12
/** A session is renewed while it is used. */
const SESSION_MINUTES = 43_200

export async function liveAYear(living: Living): Promise<void> {
  const { url, company, clock, progress, end } = living
  const api = apiClient(living)
  clock.moveTo(moment(workday(company.today), 8))
  const keys = await createCompany({ api, company, progress })
  clock.moveTo(moment(workday(company.today), 11))
  const as = await letIn(living)
  const days = agenda()
  const story: Story = {
    url,
    company,
    end: new Date(end).toISOString().slice(0, 10),
    keys,
    as,
    agenda: days,
    now: clock.now,
    midnights: new Set(),
  }
  const invoiced = keys.building[0]!
  planLeases(story)
  planRents(story)
  planPayments(story, invoiced)
  planBank(story, invoiced)
  planMaintenance(story)
  planIntegrations(story)
  planDirectory(story)
  planPartners(story)
  planChanges(story)
  const monthOf = (at: number) => new Date(at).toISOString().slice(0, 7)
  progress.begin('months lived', MONTHS)
  let month = monthOf(clock.now())
  await days.live(clock, end, (at) => {
    if (monthOf(at) === month) return
    month = monthOf(at)
    if (month <= monthsAfter(company.today, MONTHS).slice(0, 7)) progress.advance(1)
  })
  progress.end()
}

/** The company's roles and people; from now on nobody uses the first token. */
async function letIn({ url, token, password }: Living): Promise<Story['as']> {
  const api = apiClient({ url, token })
  const { data: companies } = await api.call<{ Id: string }[]>('GET', 'identity/companies')
  const session = { SessionTimeoutMinutes: SESSION_MINUTES, SessionRenewal: 'Sliding' }
  await api.call('PATCH', `identity/companies/${companies[0]!.Id}`, { body: session })
  const { maria, ...others } = PEOPLE
  const { data: users } = await api.call<{ Id: string }[]>('GET', 'identity/users')
  await api.call('PATCH', `identity/users/${users[0]!.Id}`, { body: { Name: maria.name } })
  const admin = signedIn({ url, email: maria.email, password })
  for (const body of ROLES) await create(admin, 'identity/roles', body)
  for (const { name, email, roles } of Object.values(others)) {
    const body = { Email: email, Name: name, Roles: roles, Password: password }
    await create(admin, 'identity/users', body, 'Works here')
  }
  const clients = Object.entries(PEOPLE).map(([who, { email }]) => [who, signedIn({ url, email, password })])
  return { ...(Object.fromEntries(clients) as Record<Who, typeof admin>), maria: admin }
}
