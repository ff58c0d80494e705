/** What a role does not show is not there: in records and lists, by lookups and expansions, for reads and for writes. */
import { expect } from 'chai'
import {
  testService,
  textOf,
  type Answer,
  type Data,
  type HeaderValues,
  type TestService,
} from '../../support/service.ts'
import { withGrants } from '../identity/identity-support.ts'
import { unlike } from '../../support/unlike.ts'

const rent = { Amount: 900, Currency: 'EUR' }

describe('records of which not everything is granted', () => {
  let service: TestService
  let [kiel, rome]: Data[] = []
  let [ann, bob]: Data[] = []
  let [here, there]: Data[] = []
  let clerk: HeaderValues

  const granted = (...Grants: object[]) => withGrants(service, Grants)
  const contract = (more: object) => ({ MonthlyRent: rent, StartDate: '2999-01-01', ...more })

  before(async () => {
    service = await testService()
    kiel = await service.create('building', { Name: 'Am Hafen', City: 'Kiel' })
    rome = await service.create('building', { Name: 'Via Appia', City: 'Rome' })
    ann = await service.create('tenant', { Name: 'Ann Canary', Email: 'ann@example.com', ExternalId: 'A' })
    bob = await service.create('tenant', { Name: 'Bob', Email: 'bob@example.com', ExternalId: 'B' })
    here = await service.create('contract', contract({ Building: kiel.Id, Tenant: ann.Id, Notes: 'quiet' }))
    there = await service.create('contract', contract({ Building: rome.Id, Tenant: bob.Id, Notes: 'canary' }))
    clerk = await granted(
      {
        Object: 'contract',
        Actions: ['read', 'create', 'update', 'delete', 'import', 'workflow:submit', 'audit'],
        Rows: "Building/City eq 'Kiel'",
        ReadFields: ['ContractNumber', 'Tenant', 'Building', 'StartDate', 'Status'],
        WriteFields: ['Building', 'Tenant', 'StartDate', 'MonthlyRent', 'Status'],
      },
      { Object: 'building', Actions: ['read'] },
      {
        Object: 'tenant',
        Actions: ['read', 'create', 'update'],
        Rows: "Name ne 'Bob'",
        ReadFields: ['Phone', 'ExternalId'],
      },
    )
  })
  after(() => service.discard())

  /** What it is about is told apart only by the Key that was asked for. */
  const expectUnknown = (answer: Answer, key: string, like: Answer, likeKey: string) => {
    expect(answer.status, answer.text).to.equal(like.status)
    expect(answer.text.replaceAll(key, '…')).to.equal(like.text.replaceAll(likeKey, '…'))
    const headersOf = ({ headers }: Answer) =>
      [...headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit'].includes(name))
    const shape = (of: Answer) => headersOf(of).filter(([name]) => name !== 'content-length')
    expect(shape(answer)).to.deep.equal(shape(like))
  }

  describe('are read', () => {
    it('without the fields that are not shown, and with the names that are not as null', async () => {
      const { data } = await service.get(`contract/${here!.Id}`, clerk)
      expect(data).to.deep.equal({
        Id: here!.Id,
        ContractNumber: here!['ContractNumber'],
        Tenant: { Id: ann!.Id, Name: null },
        Building: { Id: kiel!.Id, Name: 'Am Hafen' },
        StartDate: '2999-01-01',
        Status: 'Draft',
        CreatedAt: here!['CreatedAt'],
        ModifiedAt: here!['ModifiedAt'],
      })
      const { list, pagination } = await service.list('contract', {}, clerk)
      expect(list).to.deep.equal([data])
      expect(pagination).to.include({ TotalRecords: 1, TotalPages: 1 })
    })

    it('not at all outside the rows, exactly like unknown ones', async () => {
      const unknown = unlike(there!.Id)
      const none = await service.get(`contract/${unknown}`, clerk)
      expect(none.status).to.equal(404)
      expectUnknown(await service.get(`contract/${there!.Id}`, clerk), there!.Id, none, unknown)
      const etag = { ...clerk, 'If-None-Match': '"1"' }
      expectUnknown(await service.get(`contract/${there!.Id}`, etag), there!.Id, none, unknown)
      for (const route of ['history', 'workflow']) {
        const [theirs, nobodys] = await Promise.all(
          [there!.Id, unknown].map((key) => service.get(`contract/${key}/${route}`, clerk)),
        )
        expect(nobodys!.status).to.equal(404)
        expectUnknown(theirs!, there!.Id, nobodys!, unknown)
      }
    })

    it('by no filter, sort, list of fields or expansion of what is not shown', async () => {
      const asked = {
        filter: [
          'MonthlyRent gt 1',
          "contains(Notes, 'q')",
          "Tenant/Email eq 'x'",
          "contains(Tenant/Name, 'a')",
        ],
        sort: ['MonthlyRent', '-Tenant', 'Tenant/Email'],
        fields: ['Notes', 'Id,MonthlyRent'],
        expand: ['Unit'],
      }
      for (const [parameter, values] of Object.entries(asked))
        for (const value of values) {
          const answer = await service.list('contract', { [parameter]: value }, clerk)
          expect([answer.status, answer.error.Details[0]?.Field], value).to.deep.equal([400, parameter])
          const strange = value.replace(/MonthlyRent|Notes|Email|Name|Unit|Tenant$/, 'Xyzzy')
          const unknown = await service.list('contract', { [parameter]: strange }, clerk)
          const words = (of: Answer) =>
            of.error.Message.replace(/'[A-Za-z]+'|[A-Z][A-Za-z/]+|; did you.*/g, '')
          if (parameter !== 'sort') expect(words(answer)).to.equal(words(unknown))
        }
      const whole = await service.list('contract', { filter: "Building/City eq 'Rome'" }, clerk)
      expect([whole.status, whole.pagination.TotalRecords]).to.deep.equal([200, 0])
    })

    it('by no word that stands where nothing is shown', async () => {
      for (const search of ['quiet', 'canary', 'ann'])
        expect((await service.list('contract', { search }, clerk)).list, search).to.deep.equal([])
      const number = textOf(here, 'ContractNumber')
      expect((await service.list('contract', { search: number }, clerk)).list).to.have.length(1)
      expect((await service.list('contract', { search: 'canary' })).list).to.have.length(2)
    })

    it('with looked-up records as far as those are shown', async () => {
      const { data } = await service.get(`contract/${here!.Id}?expand=Tenant,Building`, clerk)
      expect(data['Tenant']).to.deep.equal({
        Id: ann!.Id,
        Phone: null,
        ExternalId: 'A',
        CreatedAt: ann!['CreatedAt'],
        ModifiedAt: ann!['ModifiedAt'],
      })
      expect(data['Building']).to.deep.equal(kiel)
      const others = await granted(
        { Object: 'contract', Actions: ['read'] },
        { Object: 'tenant', Actions: ['read'], Rows: "Name ne 'Bob'" },
      )
      const { list } = await service.list(
        'contract',
        { expand: 'Tenant', fields: 'Tenant', sort: 'Id' },
        others,
      )
      expect(list.map(({ Tenant }) => Tenant)).to.deep.equal([ann, { Id: bob!.Id, Name: null }])
      expect((await service.list('contract', { expand: 'Building' }, others)).status).to.equal(403)
      const found = async (filter: string) =>
        (await service.list('contract', { filter }, others)).pagination.TotalRecords
      expect(await found("contains(Tenant/Name, 'bob')")).to.equal(0)
      expect(await found('Tenant/Email ne null')).to.equal(1)
      expect(await found('Tenant/Name eq null')).to.equal(1)
      expect(await found(`Tenant eq '${bob!.Id}'`)).to.equal(1)
    })
  })

  describe('are written', () => {
    const made = async () =>
      (await service.post('contract', contract({ Building: kiel!.Id, Tenant: ann!.Id }), clerk)).data

    it('in the fields that are granted, and answered as they are read', async () => {
      const answer = await service.post('contract', contract({ Building: kiel!.Id }), clerk)
      expect(answer.status).to.equal(201)
      expect(answer.data).to.not.have.any.keys('MonthlyRent', 'Notes')
      expect(answer.data).to.deep.equal((await service.get(`contract/${answer.data.Id}`, clerk)).data)
      const notes = await service.post('contract', contract({ Building: kiel!.Id, Notes: 'x' }), clerk)
      expect([notes.status, ...notes.faults]).to.deep.equal([400, 'Notes: is not a field that you may write'])
      const changed = await service.patch(`contract/${answer.data.Id}`, { MonthlyRent: { Amount: 1 } }, clerk)
      expect([changed.status, changed.data['MonthlyRent']]).to.deep.equal([200, undefined])
      for (const body of [{ Notes: 'x' }, { Duration: 3 }])
        expect((await service.patch(`contract/${answer.data.Id}`, body, clerk)).status).to.equal(400)
    })

    it('only within the rows, from which no write takes them', async () => {
      const outside = await service.post('contract', contract({ Building: rome!.Id }), clerk)
      expect([outside.status, outside.error.Code]).to.deep.equal([403, 'FORBIDDEN'])
      const nowhere = await service.post('contract', contract({}), clerk)
      expect(nowhere.status).to.equal(403)
      const own = await made()
      for (const Building of [rome!.Id, null]) {
        const moved = await service.patch(`contract/${own.Id}`, { Building }, clerk)
        expect([moved.status, moved.error.Code]).to.deep.equal([403, 'FORBIDDEN'])
      }
      expect((await service.get(`contract/${own.Id}`)).data['Building']).to.include({ Id: kiel!.Id })
      const batch = await service.post(
        'contract/batch',
        {
          Records: [
            contract({ Building: kiel!.Id }),
            contract({ Building: rome!.Id }),
            contract({ Building: kiel!.Id, Notes: 'x' }),
          ],
        },
        clerk,
      )
      expect(batch.list.map(({ Status }) => Status)).to.deep.equal([201, 403, 400])
    })

    it('outside the rows not at all: exactly as if they were unknown', async () => {
      const unknown = unlike(there!.Id)
      const stale = { ...clerk, 'If-Match': '"7"' }
      const writes: ((key: string) => Promise<Answer>)[] = [
        (key) => service.put(`contract/${key}`, { StartDate: '2999-02-01' }, clerk),
        (key) => service.patch(`contract/${key}`, { Notes: 'x' }, clerk),
        (key) => service.patch(`contract/${key}`, { StartDate: '2999-02-01' }, stale),
        (key) => service.delete(`contract/${key}`, clerk),
        (key) => service.post(`contract/${key}/restore`, undefined, clerk),
        (key) => service.post(`contract/${key}/workflow/submit`, undefined, clerk),
      ]
      for (const write of writes) {
        const none = await write(unknown)
        expect(none.status).to.equal(404)
        expectUnknown(await write(there!.Id), there!.Id, none, unknown)
      }
      expect((await service.get(`contract/${there!.Id}`)).data).to.deep.equal(there)
    })

    it('with lookups only to what may be read', async () => {
      const unknown = unlike(bob!.Id)
      const write = (Tenant: string) =>
        service.post('contract', contract({ Building: kiel!.Id, Tenant }), clerk)
      const none = await write(unknown)
      expect(none.status).to.equal(400)
      expectUnknown(await write(bob!.Id), bob!.Id, none, unknown)
    })

    it('by a unique value without a word of whose it is', async () => {
      const mine = await service.put('tenant/by/ExternalId/A', { Phone: '1' }, clerk)
      expect([mine.status, mine.data['Phone']]).to.deep.equal([200, '1'])
      const theirs = await service.put('tenant/by/ExternalId/B', { Phone: '1' }, clerk)
      expect([theirs.status, ...theirs.faults]).to.deep.equal([
        409,
        'ExternalId: another tenant has this value',
      ])
      expect(theirs.text).to.not.include(bob!.Id)
    })

    it('and a stale version is told of with the fields that are shown', async () => {
      const own = await made()
      await service.patch(`contract/${own.Id}`, { Notes: 'secret', StartDate: '2999-03-01' })
      await service.patch(`contract/${own.Id}`, { Notes: 'more' })
      const stale = await service.patch(
        `contract/${own.Id}`,
        { StartDate: '2999-04-01' },
        { ...clerk, 'If-Match': '"1"' },
      )
      expect(stale.status).to.equal(412)
      expect(stale.error.Details.map(({ Field }) => Field)).to.deep.equal(['StartDate', 'If-Match'])
    })

    it('and not deleted while others look them up, of which only those that may be read are named', async () => {
      const remover = await granted(
        { Object: 'tenant', Actions: ['delete'] },
        { Object: 'contract', Actions: ['read'], Rows: "Building/City eq 'Rome'" },
      )
      const kept = await service.delete(`tenant/${bob!.Id}`, remover)
      expect([kept.status, ...kept.faults]).to.deep.equal([
        409,
        `contract.Tenant: is looked up by ${there!.Id}`,
      ])
      const hidden = await service.delete(`tenant/${ann!.Id}`, remover)
      expect([hidden.status, ...hidden.faults]).to.deep.equal([
        409,
        'contract.Tenant: is looked up by records that are not shown to you',
      ])
    })

    it('by those who may not read them, and answered with the Key alone', async () => {
      const sensor = await granted({ Object: 'contract', Actions: ['create', 'update'] })
      const answer = await service.post('contract', contract({ Notes: 'x' }), sensor)
      expect(answer.data).to.deep.equal({ Id: answer.data.Id })
      const changed = await service.patch(`contract/${answer.data.Id}`, { Notes: 'y' }, sensor)
      expect([changed.status, changed.data]).to.deep.equal([200, { Id: answer.data.Id }])
      const looking = await service.post('contract', contract({ Tenant: ann!.Id }), sensor)
      expect(looking.faults).to.deep.equal([`Tenant: there is no tenant ${ann!.Id}`])
    })
  })

  describe('by two roles', () => {
    it('show no field of a record that neither of them shows', async () => {
      const both = await granted(
        { Object: 'contract', Actions: ['read'], Rows: "Building/City eq 'Kiel'", ReadFields: ['Notes'] },
        { Object: 'contract', Actions: ['read'], Rows: "Building/City eq 'Rome'", ReadFields: ['StartDate'] },
      )
      const [kielData, romeData] = await Promise.all(
        [here!.Id, there!.Id].map(async (key) => (await service.get(`contract/${key}`, both)).data),
      )
      expect(Object.keys(kielData!)).to.deep.equal(['Id', 'Notes', 'CreatedAt', 'ModifiedAt'])
      expect(Object.keys(romeData!)).to.deep.equal(['Id', 'StartDate', 'CreatedAt', 'ModifiedAt'])
      const filtered = await service.list('contract', { filter: 'StartDate ge 2031-01-01' }, both)
      expect(filtered.list.map(({ Id }) => Id)).to.deep.equal([there!.Id])
      expect((await service.list('contract', { search: 'quiet' }, both)).list).to.deep.equal([])
    })

    it('write no field of a record that neither of them lets write', async () => {
      const both = await granted(
        {
          Object: 'contract',
          Actions: ['update'],
          Rows: "Building/City eq 'Kiel'",
          WriteFields: ['Building'],
        },
        { Object: 'contract', Actions: ['update'], Rows: "Building/City eq 'Rome'", WriteFields: ['Notes'] },
        { Object: 'building', Actions: ['read'] },
      )
      const path = `contract/${here!.Id}`
      expect((await service.patch(path, { Notes: 'x' }, both)).status).to.equal(400)
      expect((await service.patch(path, { Building: rome!.Id }, both)).status).to.equal(403)
      expect((await service.patch(`contract/${there!.Id}`, { Notes: 'canary' }, both)).status).to.equal(200)
    })

    it('move no record to where one of the fields sent could not have been written', async () => {
      const both = await granted(
        {
          Object: 'contract',
          Actions: ['update'],
          Rows: "Building/City eq 'Kiel'",
          WriteFields: ['Building', 'Notes'],
        },
        {
          Object: 'contract',
          Actions: ['update'],
          Rows: "StartDate eq '2999-01-01'",
          WriteFields: ['Building'],
        },
        { Object: 'building', Actions: ['read'] },
      )
      const { Id } = await service.create('contract', contract({ Building: kiel!.Id }))
      const move = { Building: rome!.Id, Notes: 'moved' }
      expect((await service.patch(`contract/${Id}`, move, both)).status).to.equal(403)
      expect((await service.patch(`contract/${Id}`, { Building: rome!.Id }, both)).status).to.equal(200)
    })
  })
})
