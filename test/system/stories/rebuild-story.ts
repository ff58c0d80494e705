/** A rebuild while the service is read and written, told the same on every engine. */
import { expect } from 'chai'
import type { Client } from '../../support/service.ts'
import { eventually } from '../support/eventually.ts'

/** How the projections stand. */
export async function projectionsOf(client: Client): Promise<readonly Record<string, unknown>[]> {
  const answer = await client.get('projections')
  expect(answer.status, answer.text).to.equal(200)
  return answer.list
}

export function rebuildHasEnded(client: Client): Promise<void> {
  return eventually('every rebuild has ended', async () => {
    for (const { State, Error } of await projectionsOf(client))
      expect([State, Error]).to.deep.equal(['live', null])
  })
}

/** `one` asks for the rebuild, `other` writes meanwhile; they may be the same. */
export async function rebuildStory(one: Client, other: Client): Promise<void> {
  const tenant = await one.create('tenant', { Name: 'Ärger & Söhne' })
  const units: { readonly Id: string }[] = []
  for (let i = 0; i < 30; i++) units.push(await one.create('unit', { Number: `u${i}` }))
  const before = (await one.list('unit')).pagination.TotalRecords
  const contract = await one.create('contract', {
    Tenant: tenant.Id,
    MonthlyRent: { Amount: 1000, Currency: 'EUR' },
    StartDate: '2999-01-01',
  })
  expect((await one.list('contract', { search: 'ärger' })).list).to.have.length(1)

  const begun = await one.post('projections/records/rebuild')
  expect(begun.status, begun.text).to.equal(202)
  await other.patch(`tenant/${tenant.Id}`, { Name: 'Renamed' })
  await other.delete(`unit/${units[0]!.Id}`)
  const late = await other.create('tenant', { Name: 'Late' })
  await rebuildHasEnded(one)

  // What one process has written, the other shows as soon as it has come as far.
  for (const client of [one, other])
    await eventually('all that happened meanwhile is shown', async () => {
      expect((await client.get(`tenant/${late.Id}`)).data['Name']).to.equal('Late')
      expect((await client.get(`unit/${units[0]!.Id}`)).status).to.equal(404)
      expect((await client.list('unit')).pagination.TotalRecords).to.equal(before - 1)
      const found = await client.list('contract', { filter: "Tenant/Name eq 'Renamed'" })
      expect(found.list.map(({ Id }) => Id)).to.deep.equal([contract.Id])
      expect((await client.list('contract', { search: 'renamed' })).list).to.have.length(1)
      expect((await client.list('contract', { search: 'ärger' })).list).to.have.length(0)
    })
  const after = await other.create('tenant', { Name: 'After' })
  await eventually('what is written afterwards is shown', async () =>
    expect((await one.get(`tenant/${after.Id}`)).status).to.equal(200),
  )
}
