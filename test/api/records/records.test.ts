/** One record over HTTP: created, read, changed, deleted and restored (docs/interface.md#object-routes). */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { testService, type TestService, type Data } from '../../support/service.ts'
import {
  contractBody,
  createLease,
  KEY,
  START_DATE,
  TIMESTAMP,
  type Lease,
} from '../../system/support/leasing.ts'

describe('a record over HTTP', () => {
  let service: TestService
  let lease: Lease

  before(async () => {
    service = await testService()
    lease = await createLease(service)
  })
  after(() => service.discard())

  const path = (record: Data) => `contract/${record.Id}`
  const createContract = (more: Fields = {}) => service.create('contract', contractBody(more))
  const read = async (record: Data) => (await service.get(path(record))).data

  describe('create', () => {
    it('answers 201 with the whole record, where it is, and its version', async () => {
      const answer = await service.post(
        'contract',
        contractBody({ ...lease.lookups, Duration: 12, LeaseType: 'New' }),
      )
      expect(answer.status).to.equal(201)
      expect(answer.json).to.have.all.keys('Success', 'Data')
      expect(answer.json['Success']).to.equal(true)
      const { data } = answer
      expect(data).to.deep.equal({
        Id: data['Id'],
        ContractNumber: data['ContractNumber'],
        Tenant: { Id: lease.tenant, Name: 'Ada Lovelace' },
        Building: { Id: lease.building, Name: 'Harbour House' },
        Unit: { Id: lease.unit, Number: '4B' },
        MonthlyRent: { Amount: 1250.5, Currency: 'EUR' },
        StartDate: START_DATE,
        EndDate: '2999-12-31',
        Duration: 12,
        LeaseType: 'New',
        Status: 'Draft',
        Notes: null,
        CreatedAt: data['CreatedAt'],
        ModifiedAt: data['CreatedAt'],
      })
      expect(data['Id']).to.match(KEY('contract'))
      expect(data['ContractNumber']).to.match(/^CON-\d{4}-\d{4}$/)
      expect(data['CreatedAt']).to.match(TIMESTAMP)
      expect(answer.headers.get('Location')).to.equal(`/api/v1/contract/${data.Id}`)
      expect(answer.headers.get('ETag')).to.equal('"1"')
      expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
      expect(answer.headers.get('Cache-Control')).to.equal('no-store')
      expect((await service.get(answer.headers.get('Location') ?? '')).data).to.deep.equal(data)
    })

    it('has fields that were not sent as null', async () => {
      const { Tenant, EndDate, Duration, LeaseType } = await createContract()
      expect({ Tenant, EndDate, Duration, LeaseType }).to.deep.equal({
        Tenant: null,
        EndDate: null,
        Duration: null,
        LeaseType: null,
      })
    })

    it('takes null for no value', async () => {
      expect((await createContract({ Tenant: null, Notes: null }))['Notes']).to.equal(null)
    })

    it('takes another lease type than the suggested ones', async () => {
      expect((await createContract({ LeaseType: 'Sublet' }))['LeaseType']).to.equal('Sublet')
    })

    it('works the end out from start and duration, unless it is given', async () => {
      const ends = async (StartDate: string, Duration: number, EndDate?: string) =>
        (await createContract({ StartDate, Duration, ...(EndDate !== undefined && { EndDate }) }))['EndDate']
      expect(await ends('2996-01-31', 1)).to.equal('2996-02-29')
      expect(await ends('2997-01-31', 1)).to.equal('2997-02-28')
      expect(await ends('2999-03-15', 6)).to.equal('2999-09-14')
      expect(await ends('2999-03-15', 6, '3001-01-01')).to.equal('3001-01-01')
    })

    it('names every fault by its field', async () => {
      const answer = await service.post('contract', {
        StartDate: '2020-01-01',
        Duration: 1.5,
        Rent: 5,
        Id: 'contract-1',
        Status: 'Done',
      })
      expect(answer.status).to.equal(400)
      expect(answer.json).to.have.all.keys('Success', 'Error')
      expect(answer.json['Success']).to.equal(false)
      expect(answer.error).to.have.all.keys('Code', 'Message', 'Details')
      expect(answer.error.Code).to.equal('VALIDATION_ERROR')
      for (const detail of answer.error.Details) expect(detail).to.have.all.keys('Field', 'Message')
      expect(answer.error.Details.map(({ Field }) => Field)).to.have.members([
        'MonthlyRent',
        'StartDate',
        'Duration',
        'Rent',
        'Id',
        'Status',
      ])
      expect(answer.faults).to.include('MonthlyRent: is required')
    })

    it('refuses fields that only the service assigns', async () => {
      const own = {
        Id: 'x',
        ContractNumber: 'CON-2026-9999',
        CreatedAt: '2026-01-01T00:00:00Z',
        ModifiedAt: null,
      }
      for (const [name, value] of Object.entries(own)) {
        const answer = await service.post('contract', contractBody({ [name]: value }))
        expect(answer.status, name).to.equal(400)
        expect(answer.faults).to.deep.equal([`${name}: is assigned by the service`])
      }
    })

    it('refuses an end before the start', async () => {
      const answer = await service.post('contract', contractBody({ EndDate: '2998-12-31' }))
      expect(answer.status).to.equal(400)
      expect(answer.faults).to.deep.equal(['EndDate: must not be before StartDate'])
    })
  })

  describe('get', () => {
    it('answers 404 for a Key that was never issued, that is another object’s, or that is none', async () => {
      const never = `contract-${'0'.repeat(26)}`
      for (const key of [
        never,
        lease.tenant,
        '1',
        'contract-1',
        'CONTRACT-1',
        'null',
        'contract',
        '-',
        '$ne',
      ]) {
        const answer = await service.get(`contract/${key}`)
        expect(answer.status, key).to.equal(404)
        expect(answer.error.Code).to.equal('NOT_FOUND')
        expect(answer.error.Details).to.deep.equal([])
      }
    })

    it('does not find a record by another spelling of its Key', async () => {
      const { Id } = await createContract()
      for (const key of [Id.toUpperCase(), `${Id}%20`, `%20${Id}`, `${Id}%00`, `${Id}0`, Id.slice(0, -1)])
        expect((await service.get(`contract/${key}`)).status, key).to.equal(404)
    })
  })

  for (const method of ['PUT', 'PATCH'] as const)
    describe(method, () => {
      const change = (record: Data, body: unknown) => service.send(method, path(record), { body })

      it('answers the whole record with the fields that were sent changed, and no others', async () => {
        const before = await createContract({ ...lease.lookups, Notes: 'as agreed' })
        const answer = await change(before, { LeaseType: 'Renewal' })
        expect(answer.status).to.equal(200)
        expect(answer.headers.get('ETag')).to.equal('"2"')
        expect(answer.headers.get('Location')).to.equal(null)
        expect(answer.data).to.deep.equal({
          ...before,
          LeaseType: 'Renewal',
          ModifiedAt: answer.data['ModifiedAt'],
        })
        expect(await read(before)).to.deep.equal(answer.data)
      })

      it('clears what is null', async () => {
        const before = await createContract({ ...lease.lookups, Duration: 3, Notes: 'x' })
        const { data } = await change(before, { Tenant: null, Notes: null })
        expect([data['Tenant'], data['Notes'], data['Duration']]).to.deep.equal([null, null, 3])
      })

      it('does not clear what is required', async () => {
        const before = await createContract()
        const answer = await change(before, { MonthlyRent: null, StartDate: null })
        expect(answer.status).to.equal(400)
        expect(answer.faults).to.deep.equal(['MonthlyRent: is required', 'StartDate: is required'])
        expect(await read(before)).to.deep.equal(before)
      })

      it('writes the status directly, and refuses one that the workflow does not have', async () => {
        const before = await createContract()
        expect((await change(before, { Status: 'Active' })).data['Status']).to.equal('Active')
        const refused = await change(before, { Status: 'active' })
        expect([refused.status, refused.faults.length]).to.deep.equal([400, 1])
      })

      it('never leaves a record without a state', async () => {
        const answer = await change(await createContract(), { Status: null })
        expect([answer.status, answer.error.Details.map(({ Field }) => Field)]).to.deep.equal([
          400,
          ['Status'],
        ])
      })

      it('takes a start in the past: only a new contract begins in the future', async () => {
        const before = await createContract()
        expect((await change(before, { StartDate: '2020-01-01' })).data['StartDate']).to.equal('2020-01-01')
      })

      it('lets the end follow start and duration for as long as nobody has chosen it', async () => {
        const before = await createContract({ Duration: 12 })
        expect((await change(before, { Duration: 24 })).data['EndDate']).to.equal('3000-12-31')
        expect((await change(before, { EndDate: '3005-05-05' })).data['EndDate']).to.equal('3005-05-05')
        expect((await change(before, { Duration: 36 })).data['EndDate']).to.equal('3005-05-05')
      })

      it('takes the end away with the duration, unless somebody chose it', async () => {
        const before = await createContract({ Duration: 12 })
        expect((await change(before, { Duration: null })).data).to.include({ Duration: null, EndDate: null })
        const chosen = await createContract({ Duration: 12, EndDate: '3005-05-05' })
        expect((await change(chosen, { Duration: null })).data['EndDate']).to.equal('3005-05-05')
      })

      it('changes nothing, not even the version, when it brings nothing new', async () => {
        const before = await createContract({ Notes: 'same' })
        for (const body of [{}, { Notes: 'same' }, contractBody()]) {
          const answer = await change(before, body)
          expect([answer.status, answer.headers.get('ETag')]).to.deep.equal([200, '"1"'])
          expect(answer.data).to.deep.equal(before)
        }
      })

      it('changes nothing at all when one field is wrong', async () => {
        const before = await createContract()
        const answer = await change(before, { Notes: 'new', Duration: 'long', Nope: 1, Id: before.Id })
        expect(answer.status).to.equal(400)
        expect(answer.error.Details.map(({ Field }) => Field)).to.have.members(['Duration', 'Nope', 'Id'])
        expect(await read(before)).to.deep.equal(before)
      })

      it('refuses a body that is no object', async () => {
        const before = await createContract()
        for (const body of ['null', '[]', '"text"', '1', 'true', '[{"Notes":"x"}]'])
          expect((await change(before, body)).status, body).to.equal(400)
        expect((await service.send(method, path(before))).status).to.equal(400)
      })

      it('answers 404 for a record that is not there', async () => {
        const answer = await service.send(method, `contract/contract-${'0'.repeat(26)}`, {
          body: { Notes: 'x' },
        })
        expect([answer.status, answer.error.Code]).to.deep.equal([404, 'NOT_FOUND'])
      })
    })

  describe('money', () => {
    it('is merged by PATCH', async () => {
      const record = await createContract()
      const { data } = await service.patch(path(record), { MonthlyRent: { Amount: 900 } })
      expect(data['MonthlyRent']).to.deep.equal({ Amount: 900, Currency: 'EUR' })
      const typed = await service.patch(
        path(record),
        { MonthlyRent: { Currency: 'USD' } },
        { 'Content-Type': 'application/merge-patch+json' },
      )
      expect(typed.data['MonthlyRent']).to.deep.equal({ Amount: 900, Currency: 'USD' })
    })

    it('is replaced whole by PUT', async () => {
      const record = await createContract()
      const answer = await service.put(path(record), { MonthlyRent: { Amount: 900 } })
      expect(answer.status).to.equal(400)
      expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['MonthlyRent'])
    })

    it('cannot lose a part by PATCH', async () => {
      const record = await createContract()
      expect((await service.patch(path(record), { MonthlyRent: { Currency: null } })).status).to.equal(400)
    })
  })

  describe('delete', () => {
    it('answers 200 with Id and IsDeleted, and nothing finds the record any more', async () => {
      const record = await createContract({ Notes: 'xylophone' })
      const answer = await service.delete(path(record))
      expect([answer.status, answer.headers.get('ETag')]).to.deep.equal([200, '"2"'])
      expect(answer.json).to.deep.equal({ Success: true, Data: { Id: record.Id, IsDeleted: true } })
      for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
        const gone = await service.send(
          method,
          path(record),
          method.startsWith('P') ? { body: { Notes: 'x' } } : {},
        )
        expect([gone.status, gone.error.Code], method).to.deep.equal([404, 'NOT_FOUND'])
      }
      expect((await service.list('contract', { search: 'xylophone' })).pagination.TotalRecords).to.equal(0)
      expect((await service.list('contract', { filter: `Id eq '${record.Id}'` })).list).to.deep.equal([])
    })

    it('answers 404 for a deleted record also to a write with If-Match', async () => {
      const record = await createContract()
      await service.delete(path(record))
      for (const version of ['"1"', '"2"', '"7"', '*'])
        for (const method of ['PATCH', 'PUT', 'DELETE']) {
          const body = method === 'DELETE' ? {} : { body: { Notes: 'x' } }
          const answer = await service.send(method, path(record), {
            ...body,
            headers: { 'If-Match': version },
          })
          expect(answer.status, `${method} with ${version}`).to.equal(404)
        }
    })

    it('is undone by restore: the record is back as it was', async () => {
      const record = await createContract({ ...lease.lookups, Notes: 'quicksilver' })
      await service.delete(path(record))
      const answer = await service.post(`${path(record)}/restore`)
      expect([answer.status, answer.headers.get('ETag')]).to.deep.equal([200, '"3"'])
      expect(answer.data).to.deep.equal({ ...record, ModifiedAt: answer.data['ModifiedAt'] })
      expect(await read(record)).to.deep.equal(answer.data)
      expect((await service.list('contract', { search: 'quicksilver' })).list).to.deep.equal([answer.data])
    })

    it('cannot restore what never was', async () => {
      expect((await service.post(`contract/contract-${'0'.repeat(26)}/restore`)).status).to.equal(404)
    })

    it('may be restored again and again', async () => {
      const record = await createContract()
      await service.delete(path(record))
      await service.post(`${path(record)}/restore`)
      const again = await service.post(`${path(record)}/restore`)
      expect([again.status, again.headers.get('ETag')]).to.deep.equal([200, '"3"'])
    })
  })

  describe('64 clients at once', () => {
    it('that change different fields of one record lose no change', async () => {
      const record = await service.create('tenant', { Name: 'Busy' })
      const path = `tenant/${record.Id}`
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, i) =>
          service.patch(path, i % 2 ? { Phone: `${i}` } : { City: `${i}` }),
        ),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(64).fill(200))
      expect(new Set(answers.map(({ headers }) => headers.get('ETag')))).to.have.property('size', 64)
      const after = await service.get(path)
      expect(after.headers.get('ETag')).to.equal('"65"')
    })

    it('that change one version of a record have one winner', async () => {
      const record = await createContract()
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, i) =>
          service.patch(path(record), { Notes: `by ${i}` }, { 'If-Match': '"1"' }),
        ),
      )
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
      expect(answers.filter(({ status }) => status === 412)).to.have.length(63)
    })

    it('that delete one record have one winner', async () => {
      const record = await createContract()
      const answers = await Promise.all(Array.from({ length: 64 }, () => service.delete(path(record))))
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
      expect(answers.filter(({ status }) => status === 404)).to.have.length(63)
    })
  })

  describe('afterwards', () => {
    it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
  })
})

describe('a contract over HTTP, on the last second of June', () => {
  let service: TestService
  before(async () => {
    service = await testService({
      clock: { now: () => Date.parse('2026-06-30T23:59:59.999Z'), elapsed: () => 0 },
    })
  })
  after(() => service.discard())

  it('begins tomorrow at the earliest', async () => {
    const today = await service.post('contract', contractBody({ StartDate: '2026-06-30' }))
    expect(today.status).to.equal(400)
    expect(today.faults).to.deep.equal(['StartDate: must be in the future (after 2026-06-30)'])
    const tomorrow = await service.post('contract', contractBody({ StartDate: '2026-07-01' }))
    expect(tomorrow.status).to.equal(201)
  })

  it('has timestamps to the second, in UTC', async () => {
    const { CreatedAt, ModifiedAt } = await service.create('contract', contractBody())
    expect([CreatedAt, ModifiedAt]).to.deep.equal(['2026-06-30T23:59:59Z', '2026-06-30T23:59:59Z'])
  })
})
