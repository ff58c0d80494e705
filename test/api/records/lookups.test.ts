/** Records that look one another up (docs/interface.md#values, docs/open-facts.md 9). */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { testService, type TestService } from '../../support/service.ts'
import { definitionsFolder, gadget } from '../../system/support/gadget.ts'
import { contractBody, createLease, type Lease } from '../../system/support/leasing.ts'
import { eventually } from '../../system/support/eventually.ts'

describe('lookups over HTTP', () => {
  const folder = definitionsFolder(gadget)
  let service: TestService
  let lease: Lease

  before(async () => {
    service = await testService({ settings: { DEFINITIONS_DIR: folder.path } })
  })
  beforeEach(async () => {
    lease = await createLease(service)
  })
  after(async () => {
    await service.discard()
    folder.remove()
  })

  const createContract = (more: Fields = {}) =>
    service.create('contract', contractBody({ ...lease.lookups, ...more }))
  const get = async (path: string) => (await service.get(path)).data

  describe('a lookup field', () => {
    it('takes a Key and shows Id and display field', async () => {
      const { Id, Tenant, Building, Unit } = await createContract()
      const shown = {
        Tenant: { Id: lease.tenant, Name: 'Ada Lovelace' },
        Building: { Id: lease.building, Name: 'Harbour House' },
        Unit: { Id: lease.unit, Number: '4B' },
      }
      expect({ Tenant, Building, Unit }).to.deep.equal(shown)
      expect(await get(`contract/${Id}?fields=Tenant,Building,Unit`)).to.deep.equal({ Id, ...shown })
    })

    it('refuses the Key of a record that is not there, of another object, or deleted', async () => {
      const { Id: gone } = await service.create('tenant', { Name: 'Gone' })
      await service.delete(`tenant/${gone}`)
      for (const Tenant of [`tenant-${'0'.repeat(26)}`, lease.building, gone]) {
        const answer = await service.post('contract', contractBody({ Tenant }))
        expect([answer.status, answer.error.Details.map(({ Field }) => Field)], Tenant).to.deep.equal([
          400,
          ['Tenant'],
        ])
        const { Id } = await createContract()
        expect((await service.patch(`contract/${Id}`, { Tenant })).status, Tenant).to.equal(400)
        expect((await get(`contract/${Id}`))['Tenant']).to.deep.equal({
          Id: lease.tenant,
          Name: 'Ada Lovelace',
        })
      }
    })

    it('does not tell a record that was deleted from one that never was', async () => {
      const { Id: gone } = await service.create('tenant', { Name: 'Gone' })
      await service.delete(`tenant/${gone}`)
      const never = `tenant-${'0'.repeat(26)}`
      const [ofGone, ofNever] = await Promise.all(
        [gone, never].map((Tenant) => service.post('contract', contractBody({ Tenant }))),
      )
      expect(ofGone?.text.replaceAll(gone, never)).to.equal(ofNever?.text)
    })
  })

  describe('expand', () => {
    it('shows the full records of a list and of a single record', async () => {
      const { Id } = await createContract()
      const [tenant, building, unit] = [
        await get(`tenant/${lease.tenant}`),
        await get(`building/${lease.building}`),
        await get(`unit/${lease.unit}`),
      ]
      const expected = { ...(await get(`contract/${Id}`)), Tenant: tenant, Building: building, Unit: unit }
      expect(tenant).to.include({ Email: 'ada@example.com', Phone: '+31 20 123 4567' })
      for (const expand of [
        'Tenant,Building,Unit',
        'Unit,Building,Tenant',
        'Building, Unit ,Tenant,Tenant',
      ]) {
        expect(await get(`contract/${Id}?expand=${encodeURIComponent(expand)}`)).to.deep.equal(expected)
        const { list } = await service.list('contract', { expand, filter: `Id eq '${Id}'` })
        expect(list).to.deep.equal([expected])
      }
    })

    it('shows only what is asked for in full', async () => {
      const { Id } = await createContract()
      const record = await get(`contract/${Id}?expand=Building`)
      expect(record['Tenant']).to.deep.equal({ Id: lease.tenant, Name: 'Ada Lovelace' })
      expect(record['Building']).to.deep.equal(await get(`building/${lease.building}`))
    })

    it('leaves a lookup without a value as null', async () => {
      const { Id } = await service.create('contract', contractBody({ Unit: lease.unit }))
      const record = await get(`contract/${Id}?expand=Tenant,Building,Unit`)
      expect([record['Tenant'], record['Building']]).to.deep.equal([null, null])
      expect(record['Unit']).to.deep.equal(await get(`unit/${lease.unit}`))
    })

    it('never takes the lookup of a looked-up record for that of the record itself', async () => {
      const { Id: other } = await service.create('tenant', { Name: 'Other tenant', City: 'Delft' })
      const { Id: parent } = await service.create('gadget', { Name: 'Parent', Tenant: lease.tenant })
      const { Id } = await service.create('gadget', { Name: 'Child', Parent: parent, Tenant: other })
      const expected = {
        ...(await get(`gadget/${Id}`)),
        Parent: await get(`gadget/${parent}`),
        Tenant: await get(`tenant/${other}`),
      }
      for (const expand of ['Parent,Tenant', 'Tenant,Parent']) {
        expect(await get(`gadget/${Id}?expand=${expand}`), expand).to.deep.equal(expected)
        const { list } = await service.list('gadget', { expand, filter: `Id eq '${Id}'` })
        expect(list, expand).to.deep.equal([expected])
      }
    })

    it('is not misled by what texts and json fields hold', async () => {
      const trap = '"Tenant":{"Id":"tenant-x"},"Parent":{"Id":'
      const { Id: tenant } = await service.create('tenant', { Name: trap, Notes: '}"}{' })
      const { Id: parent } = await service.create('gadget', { Name: `${trap}}\\` })
      const { Id } = await service.create('gadget', {
        Name: trap,
        Story: `"Parent":{"Id":"${parent}"}`,
        Parent: parent,
        Tenant: tenant,
        Data: { Parent: { Id: 'x', Name: 'y' }, Tenant: { Id: 'x' } },
      })
      const plain = await get(`gadget/${Id}`)
      expect(await get(`gadget/${Id}?expand=Tenant,Parent`)).to.deep.equal({
        ...plain,
        Parent: await get(`gadget/${parent}`),
        Tenant: await get(`tenant/${tenant}`),
      })
    })

    it('shows a record that looks itself up, once', async () => {
      const { Id } = await service.create('gadget', { Name: 'Ouroboros' })
      await service.patch(`gadget/${Id}`, { Parent: Id })
      const { Parent, ...rest } = await get(`gadget/${Id}?expand=Parent`)
      expect(Parent).to.deep.equal({ ...rest, Parent: { Id, Name: 'Ouroboros' } })
    })

    it('goes together with fields, which decides what is shown', async () => {
      const { Id } = await createContract()
      expect(await get(`contract/${Id}?expand=Tenant&fields=Tenant,Status`)).to.deep.equal({
        Id,
        Tenant: await get(`tenant/${lease.tenant}`),
        Status: 'Draft',
      })
      for (const path of [`contract/${Id}`, 'contract'])
        expect((await service.get(`${path}?expand=Tenant&fields=Status`)).faults, path).to.deep.equal([
          'expand: Tenant is not among fields: name it there, too',
        ])
    })
  })

  describe('a record that others look up', () => {
    it('cannot be deleted: 409 names who looks it up', async () => {
      const contracts = [await createContract(), await createContract()]
      const answer = await service.delete(`tenant/${lease.tenant}`)
      expect([answer.status, answer.error.Code]).to.deep.equal([409, 'CONFLICT'])
      expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['contract.Tenant'])
      for (const { Id } of contracts) expect(answer.error.Details[0]?.Message).to.include(Id)
      expect((await service.get(`tenant/${lease.tenant}`)).status).to.equal(200)
    })

    it('is named for each field that holds it, and counted where there are many', async () => {
      await Promise.all(Array.from({ length: 8 }, () => createContract()))
      const answer = await service.delete(`building/${lease.building}`)
      expect(answer.error.Details.map(({ Field }) => Field)).to.have.members([
        'contract.Building',
        'unit.Building',
      ])
      expect(answer.error.Details.find(({ Field }) => Field === 'contract.Building')?.Message).to.match(
        /(contract-\w+, ){4}contract-\w+ and 3 more$/,
      )
    })

    it('can be deleted when nobody looks it up any more', async () => {
      const [first, second] = [await createContract(), await createContract()]
      await service.delete(`contract/${first.Id}`)
      await service.patch(`contract/${second.Id}`, { Tenant: null })
      expect((await service.delete(`tenant/${lease.tenant}`)).status).to.equal(200)
    })

    it('can be deleted, and restored, when only it looks itself up', async () => {
      const { Id } = await service.create('gadget', { Name: 'Ouroboros' })
      await service.patch(`gadget/${Id}`, { Parent: Id })
      expect((await service.delete(`gadget/${Id}`)).status).to.equal(200)
      const restored = await service.post(`gadget/${Id}/restore`)
      expect(restored.data['Parent']).to.deep.equal({ Id, Name: 'Ouroboros' })
    })

    it('must be back before those who look it up can be restored', async () => {
      const { Id } = await createContract()
      await service.delete(`contract/${Id}`)
      await service.delete(`tenant/${lease.tenant}`)
      const refused = await service.post(`contract/${Id}/restore`)
      expect([refused.status, refused.error.Details.map(({ Field }) => Field)]).to.deep.equal([
        400,
        ['Tenant'],
      ])
      await service.post(`tenant/${lease.tenant}/restore`)
      expect((await service.post(`contract/${Id}/restore`)).status).to.equal(200)
    })

    it('is never deleted while somebody begins to look it up', async () => {
      for (let round = 0; round < 20; round++) {
        const { Id: tenant } = await service.create('tenant', { Name: 'Contested' })
        const { Id: contract } = await createContract()
        const [, deleted] = await Promise.all([
          service.patch(`contract/${contract}`, { Tenant: tenant }),
          service.delete(`tenant/${tenant}`),
        ])
        const looks = (await get(`contract/${contract}`))['Tenant'] as Fields
        expect(looks['Id'] === tenant, `round ${round}`).to.equal(deleted.status === 409)
      }
    })
  })

  describe('a record that is renamed', () => {
    it('is shown by its new name in records, lists, filters, sorts and search', async () => {
      const keys: string[] = []
      for (let i = 0; i < 3; i++) keys.push((await createContract()).Id)
      const rename = (Name: string) => service.patch(`tenant/${lease.tenant}`, { Name })
      expect((await rename('Grace Murray Hopper')).status).to.equal(200)

      // Few show it: they are part of what the next read shows.
      for (const key of keys)
        expect((await get(`contract/${key}`))['Tenant']).to.deep.equal({
          Id: lease.tenant,
          Name: 'Grace Murray Hopper',
        })
      const total = async (parameters: Record<string, string>) =>
        (await service.list('contract', parameters)).pagination.TotalRecords
      expect(await total({ filter: "Tenant/Name eq 'Grace Murray Hopper'" })).to.equal(3)
      expect(await total({ filter: "contains(Tenant/Name, 'murray')" })).to.equal(3)
      expect(await total({ search: 'hopper' })).to.equal(3)
      const old = `Tenant eq '${lease.tenant}' and contains(Tenant/Name, 'lovelace')`
      expect(await total({ filter: old })).to.equal(0)
      const sorted = await service.list('contract', { sort: 'Tenant/Name', filter: 'Tenant ne null' })
      const names = sorted.list.map((record) => (record['Tenant'] as Fields)['Name'])
      expect(names).to.deep.equal([...names].sort())
    })

    it('answers its new name at once where it looks itself up', async () => {
      const { Id } = await service.create('gadget', { Name: 'Old worm' })
      await service.patch(`gadget/${Id}`, { Parent: Id })
      for (const [method, Name] of [
        ['patch', 'Young worm'],
        ['put', 'Wise worm'],
      ] as const) {
        const answer = await service[method](`gadget/${Id}`, { Name })
        expect(answer.data['Parent']).to.deep.equal({ Id, Name })
        expect(await get(`gadget/${Id}`)).to.deep.equal(answer.data)
        expect((await service.list('gadget', { filter: `Parent/Name eq '${Name}'` })).list).to.deep.equal([
          answer.data,
        ])
      }
    })

    it('is shown anew by those that were deleted then, and are restored', async () => {
      const { Id } = await service.create('gadget', { Name: 'x', Tenant: lease.tenant })
      await service.delete(`gadget/${Id}`)
      const Name = `Renée ${Id}`
      await service.patch(`tenant/${lease.tenant}`, { Name })
      const restored = await service.post(`gadget/${Id}/restore`)
      expect(restored.data['Tenant']).to.deep.equal({ Id: lease.tenant, Name })
      expect(await get(`gadget/${Id}`)).to.deep.equal(restored.data)
      for (const query of [{ filter: `Tenant/Name eq '${Name}'` }, { search: `renee ${Id.split('-')[1]}` }])
        expect((await service.list('gadget', query)).list).to.deep.equal([restored.data])
      expect(
        (await service.list('gadget', { filter: `Id eq '${Id}' and Tenant/Name eq 'Ada Lovelace'` })).list,
      ).to.deep.equal([])
    })

    it('does not count as a change of those who show it', async () => {
      const contract = await createContract()
      await service.patch(`tenant/${lease.tenant}`, { Name: 'Somebody Else' })
      await eventually('the contract shows the new name', async () =>
        expect((await get(`contract/${contract.Id}`))['Tenant']).to.include({ Name: 'Somebody Else' }),
      )
      const answer = await service.get(`contract/${contract.Id}`)
      expect(answer.headers.get('ETag')).to.equal('"1"')
      expect(answer.data['ModifiedAt']).to.equal(contract['ModifiedAt'])
    })

    it('reaches everybody, however many show it', async () => {
      const body = contractBody({ Tenant: lease.tenant })
      await service.post('contract/batch', { Records: Array.from({ length: 350 }, () => body) })
      await service.patch(`tenant/${lease.tenant}`, { Name: 'Widely Known' })
      await eventually('all 350 show the new name', async () => {
        const { pagination } = await service.list('contract', { filter: "Tenant/Name eq 'Widely Known'" })
        expect(pagination.TotalRecords).to.equal(350)
        expect((await service.list('contract', { search: 'widely kno' })).pagination.TotalRecords).to.equal(
          350,
        )
      })
    })
  })

  describe('afterwards', () => {
    it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
  })
})
