/** What the ten jobs are done on: records of every kind, a webhook that fails, another system that refuses, an approver and a clerk. */
import { DIRECTORY, sendPeople, WITH_KEY } from '../../../integrations/support/both-ways.ts'
import { folderWith } from '../../../integrations/support/own-file.ts'
import { LOOPBACK, partner, type Partner } from '../../../integrations/support/partner.ts'
import type { TestService } from '../../../support/service.ts'
import { makePerson, openConsole, type Console, type Person } from '../browser.ts'

export interface Scene {
  readonly console: Console
  readonly service: TestService
  readonly approver: Person
  /** Key of the integration. */
  readonly integration: string
  /** Answers webhooks, and what the integration sends. */
  readonly other: Partner
  /** What the webhook's receiver answers from now on. */
  answer(status: number): void
  /** A contract that is not anyone else's. */
  contract(of: object): Promise<{ readonly Id: string; readonly number: string }>
  discard(): Promise<void>
}

/** What it takes is to have a name, and what it sends is not wanted there. */
const { update: _, ...SENDS } = sendPeople({ name: 'Name' })
const DIRECTORY_OF_JOBS = { ...DIRECTORY, send: [{ ...SENDS, ...WITH_KEY, on: ['tenant.updated'] }] }
const SECRET = 'a-long-token'

export async function makeScene(): Promise<Scene> {
  let status = 500
  const other = await partner(({ path }) =>
    path === '/hook' ? { status, text: 'as the receiver says' } : { status: 200, json: { id: 'person-9' } },
  )
  const console = await openConsole({
    DEFINITIONS_DIR: folderWith(DIRECTORY_OF_JOBS),
    ...LOOPBACK,
    WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8',
    WEBHOOK_SCHEDULE: '0s,1h',
  })
  const { service } = console
  const ada = await service.create('tenant', { Name: 'Ada Lovelace', Email: 'ada@example.com' })
  const zoe = await service.create('tenant', { Name: "Zoë O'Brien" })
  for (let index = 0; index < 30; index++)
    await service.create('contract', {
      Tenant: index % 3 ? zoe.Id : ada.Id,
      MonthlyRent: { Amount: 700 + index * 25, Currency: 'EUR' },
      StartDate: '2031-01-01',
      Duration: 12,
    })
  for (const [Name, City] of [
    ['North House', 'Oslo'],
    ['South House', 'Bergen'],
  ] as const)
    await service.create('building', { Name, City })
  await service.post('webhooks', { Url: `${other.url}/hook`, Events: ['servicerequest.*'] })
  const set = { Definition: 'directory', BaseUrl: other.url, Credentials: { token: SECRET } }
  const integration = (await service.post('integrations', set)).data.Id
  await service.post(`integrations/${integration}/start`)
  return {
    console,
    service,
    approver: await makePerson(service, 'Grace', ['approver', 'viewer']),
    integration,
    other,
    answer: (next) => (status = next),
    async contract(of) {
      const body = { Tenant: ada.Id, StartDate: '2031-01-01', Duration: 12, ...of }
      const { Id, ContractNumber } = await service.create('contract', body)
      return { Id, number: ContractNumber as string }
    },
    async discard() {
      await console.discard()
      await other.stop()
    },
  }
}

/** The other system sends this person. */
export async function receive({ service, integration }: Scene, person: object): Promise<void> {
  const headers = { Authorization: `Bearer ${SECRET}` }
  await service.send('POST', `in/${integration}/people`, { body: person, headers })
}
