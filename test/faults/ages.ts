/** A store of several times: as it was, as it became, and as it became elsewhere; and what its webhooks sent of that. */
import { expect } from 'chai'
import type { TestService } from '../support/service.ts'
import { eventually } from '../system/support/eventually.ts'
import type { Receiver } from '../webhooks/receiver.ts'

export type Age = 'old' | 'new' | 'branched'

/** How many tenants were created: before all, after that, and elsewhere instead. */
export const WRITTEN = { before: 3, lost: 5, elsewhere: 12 } as const

const numbered = (name: keyof typeof WRITTEN) =>
  Array.from({ length: WRITTEN[name] }, (_, i) => `${name} ${i + 1}`).sort()

/** The names of the tenants of each age, sorted. */
export const HELD: { readonly [age in Age]: readonly string[] } = {
  old: numbered('before'),
  new: [...numbered('before'), ...numbered('lost')],
  branched: [...numbered('before'), ...numbered('elsewhere')],
}

/** What an outbox that stopped at the old age has still to send. */
export const sinceOld = (age: Age) => HELD[age].filter((name) => !HELD.old.includes(name))

export interface Sent {
  /** From here on counts. */
  begin(): void
  /** Names of the tenants, sorted. */
  names(): readonly string[]
  /** @throws when not exactly these are sent in time */
  is(...expected: readonly string[]): Promise<void>
}

export function sentTo(receiver: () => Receiver): Sent {
  let before = 0
  const names = () =>
    receiver()
      .received.slice(before)
      .map(({ json }) => json.Data['Name'] as string)
      .sort()
  return {
    begin: () => void (before = receiver().received.length),
    names,
    is: (...expected) =>
      eventually('all is sent', async () => {
        expect(names()).to.deep.equal(expected.toSorted())
      }),
  }
}

export async function tenantNames(service: TestService): Promise<readonly string[]> {
  const { list } = await service.list('tenant', { fields: 'Name', sort: 'Name', pageSize: '100' })
  return list.map(({ Name }) => Name as string)
}

/** Why readiness says that webhooks wait; empty when they do not. */
export async function heldBy(service: TestService): Promise<string> {
  return ((await service.get('health/ready')).data['Webhooks'] ?? '') as string
}

/** Why readiness says that a part is down; null while it is up, undefined until it was looked at. */
async function reasonOf(service: TestService, part: string): Promise<string | null | undefined> {
  const { Checks } = (await service.get('health/ready')).data as unknown as {
    readonly Checks: readonly { readonly Name: string; readonly Reason: string | null }[]
  }
  return Checks.find(({ Name }) => Name === part)?.Reason
}

/** While webhooks wait for a decision: a record is written, everything says so, the log from line `logged` on too; nothing is sent. */
export async function expectHeld(service: TestService, sent: Sent, logged: number): Promise<void> {
  await service.create('tenant', { Name: 'while it is held' })
  expect(await heldBy(service)).to.include('WEBHOOKS_AFTER_RESTORE')
  await eventually('the check says why', async () =>
    expect(await reasonOf(service, 'projection webhooks')).to.include('WEBHOOKS_AFTER_RESTORE'),
  )
  const projections = (await service.get('projections')).text
  expect(projections).to.include('parked').and.to.include('WEBHOOKS_AFTER_RESTORE')
  const said = service.logged.slice(logged).map(({ message }) => message)
  expect(said.some((message) => message.includes('WEBHOOKS_AFTER_RESTORE'))).to.equal(true)
  expect(sent.names()).to.deep.equal([])
}
