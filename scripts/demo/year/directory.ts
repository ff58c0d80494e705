/** The people of the company as its directory sends them, by SCIM: who is there at first, a promotion, and who leaves. */
import { monthsAfter } from '../company.ts'
import { PEOPLE, type Who } from '../people.ts'
import { moment, workday } from './agenda.ts'
import { create, type Story } from './story.ts'

const TOKEN = 'demo-directory-token'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** Numbers and titles; those that the HR system knows too have its numbers, and their titles from there. */
const STAFF: Readonly<Record<Who, { readonly number: string; readonly title?: string }>> = {
  maria: { number: '1001' },
  tomas: { number: '1002' },
  piotr: { number: '1003' },
  sven: { number: '1004' },
  ingrid: { number: '1005', title: 'Lease manager' },
  amelie: { number: '1006', title: 'Head of leasing' },
  nadia: { number: '1007', title: 'Auditor' },
}

export function planDirectory(story: Story): void {
  const { agenda, as, company } = story
  let server = ''
  const ids = new Map<Who, string>()
  agenda.at(moment(workday(company.today, 3), 11), async () => {
    const body = { Definition: 'scim', Name: 'Okta', Credentials: { token: TOKEN } }
    const key = await create(as.maria, 'integrations', body, 'Our directory knows who works here')
    await as.maria.call('POST', `integrations/${key}/start`)
    server = `${story.url}/api/v1/scim/v2/${key}`
    for (const who of Object.keys(STAFF) as Who[])
      ids.set(who, await send(server, 'POST', '/Users', userOf(who, ids.get('maria'))))
  })
  const change = (months: number, who: Who, ...Operations: object[]) =>
    agenda.at(moment(workday(monthsAfter(company.today, months, 5)), 9), async () => {
      await send(server, 'PATCH', `/Users/${ids.get(who)!}`, { Operations })
    })
  change(6, 'nadia', { op: 'Replace', path: 'title', value: 'Senior auditor' })
  change(8, 'ingrid', { op: 'Replace', path: 'active', value: 'False' })
}

function userOf(who: Who, head: string | undefined) {
  const { name, email } = PEOPLE[who]
  const { number, title } = STAFF[who]
  const [givenName, familyName] = name.split(' ')
  const manager = title !== undefined && head !== undefined && { manager: { value: head } }
  return {
    userName: email,
    externalId: `00u${number}`,
    name: { givenName, familyName },
    emails: [{ value: email, type: 'work', primary: true }],
    ...(title !== undefined && { title }),
    active: true,
    [ENTERPRISE]: { employeeNumber: number, ...manager },
  }
}

/** The Id of the user. */
async function send(server: string, method: string, path: string, body: object): Promise<string> {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/scim+json' }
  const response = await fetch(`${server}${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return (JSON.parse(text) as { readonly id: string }).id
}
