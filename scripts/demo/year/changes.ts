/** People come, go and marry, tenants are renamed, and the auditor looks at all of it. */
import { listAll } from '../api-client.ts'
import { monthsAfter } from '../company.ts'
import { PEOPLE } from '../people.ts'
import { randomOf } from '../random.ts'
import { moment, workday } from './agenda.ts'
import { change, create, type Story } from './story.ts'

interface User {
  readonly Id: string
  readonly Email: string
}

export function planChanges(story: Story): void {
  people(story)
  tenants(story)
  audits(story)
}

function people({ agenda, as, company }: Story): void {
  const userOf = async (email: string) => {
    const all = await listAll<User>(as.maria, 'identity/users')
    return `identity/users/${all.find(({ Email }) => Email === email)!.Id}`
  }
  agenda.at(moment(workday(monthsAfter(company.today, 5, 10)), 10), async () =>
    change(as.maria, await userOf(PEOPLE.amelie.email), { Name: 'Amélie Laurent-Dubois' }, 'Married'),
  )
  agenda.at(moment(workday(monthsAfter(company.today, 9, 1)), 18), async () =>
    change(
      as.maria,
      await userOf(PEOPLE.ingrid.email),
      { IsActive: false },
      'Has left the company; leases go to Tomáš',
    ),
  )
  let token = ''
  agenda.at(moment(workday(monthsAfter(company.today, 2, 4)), 14), async () => {
    const body = { Name: 'Spreadsheet of the board', Roles: ['viewer'] }
    token = await create(as.maria, 'identity/tokens', body, 'Asked for by the board')
  })
  agenda.at(moment(workday(monthsAfter(company.today, 4, 18)), 8), () =>
    as.maria.call('DELETE', `identity/tokens/${token}`, { reason: 'Was sent by e-mail; no longer secret' }),
  )
}

const RENAMED = 'Bakkerij "De Gouden Krakeling" B.V.'

function tenants({ agenda, as, company, keys }: Story): void {
  const named = (i: number) => `tenant/${keys.tenant[(i * 13) % keys.tenant.length]!}`
  agenda.at(moment(workday(monthsAfter(company.today, 3, 9)), 11), () => {
    const body = { Name: RENAMED, TenantType: 'Company' }
    return change(
      as.ingrid,
      named(0),
      body,
      'Now a private limited company; extract from the register received',
    )
  })
  agenda.at(moment(workday(monthsAfter(company.today, 8, 14)), 11), () =>
    change(as.tomas, named(1), { Name: "Zoë D'Hondt-Łukasiewicz" }, 'Married; "please use my new name"'),
  )
  for (let month = 0; month < 12; month++) {
    const random = randomOf(`tenants of month ${month}`)
    const day = workday(monthsAfter(company.today, month, random.between(3, 26)))
    const Phone = `+31 20 ${random.between(100, 999)} ${random.between(1_000, 9_999)}`
    agenda.at(moment(day, 12, 5), () =>
      change(as.tomas, named(month + 2), { Phone }, 'Called from a new number'),
    )
    if (month % 4 !== 1) continue
    let twice = ''
    agenda.at(moment(day, 14), async () => {
      twice = await create(as.tomas, 'tenant', { Name: 'J. Jansen', TenantType: 'Person' }, 'At the counter')
    })
    agenda.at(moment(day, 16), () =>
      as.tomas.call('DELETE', `tenant/${twice}`, { reason: 'Is there already as Jan-Willem Jansen' }),
    )
  }
}

/** Twice in the year: what was changed without a reason, and everything about contracts as a file. */
function audits({ agenda, as, company }: Story): void {
  for (const month of [6, 11]) {
    const day = workday(monthsAfter(company.today, month, 20))
    const rents = 'audit?object=contract&event=contract.updated&field=MonthlyRent&reason=none'
    agenda.at(moment(day, 9), () => as.nadia.call('GET', rents))
  }
}
