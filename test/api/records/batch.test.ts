/** `POST /{object}/batch`: up to 500 records at once, each standing alone (docs/open-facts.md 3 and 22). */
import { expect } from 'chai'
import type { Request } from 'express'
import { batchRoute } from '../../../src/api/records/batch.ts'
import type { Caller } from '../../../src/commands/command.ts'
import type { WriteRecords } from '../../../src/commands/write-records.ts'
import type { ObjectDefinition } from '../../../src/domain/definition.ts'
import type { Fault } from '../../../src/domain/errors.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { testService, type TestService } from '../../support/service.ts'
import { contractBody, createLease, KEY, type Lease } from '../../system/support/leasing.ts'

describe('a batch over HTTP', () => {
  let service: TestService
  let lease: Lease

  before(async () => {
    service = await testService()
    lease = await createLease(service)
  })
  after(() => service.discard())

  const batch = (Records: readonly unknown[], more: Fields = {}) =>
    service.post('contract/batch', { Records, ...more })
  const total = async (object: string) => (await service.list(object)).pagination.TotalRecords

  it('creates each record, and answers in the order given', async () => {
    const notes = Array.from({ length: 40 }, (_, i) => `row ${i}`)
    const answer = await batch(notes.map((Notes) => contractBody({ ...lease.lookups, Notes })))
    expect(answer.status).to.equal(200)
    expect(answer.json).to.have.all.keys('Success', 'Data')
    expect(answer.list).to.have.length(40)
    for (const [i, row] of answer.list.entries()) {
      expect(row).to.have.all.keys('Index', 'Status', 'Id')
      expect(row).to.include({ Index: i, Status: 201 })
      expect(row['Id']).to.match(KEY('contract'))
      expect((await service.get(`contract/${row.Id}`)).data['Notes']).to.equal(notes[i])
    }
    expect(new Set(answer.list.map(({ Id }) => Id))).to.have.property('size', 40)
  })

  it('lets good rows pass beside bad ones, and says of each what is wrong', async () => {
    const before = await total('contract')
    const { list } = await batch([
      contractBody(),
      { StartDate: '2020-01-01', Nope: 1 },
      contractBody({ Tenant: `tenant-${'0'.repeat(26)}` }),
      'text',
      null,
      [],
      contractBody({ Notes: 'last' }),
    ])
    expect(list.map(({ Index, Status }) => [Index, Status])).to.deep.equal([
      [0, 201],
      [1, 400],
      [2, 400],
      [3, 400],
      [4, 400],
      [5, 400],
      [6, 201],
    ])
    for (const row of list.filter(({ Status }) => Status === 400)) {
      expect(row).to.have.all.keys('Index', 'Status', 'Error')
      expect(row['Error'])
        .to.have.all.keys('Code', 'Message', 'Details')
        .and.to.include({ Code: 'VALIDATION_ERROR' })
    }
    const fieldsOf = (row: Fields | undefined) =>
      (row?.['Error'] as { Details: { Field: string }[] }).Details.map(({ Field }) => Field)
    expect(fieldsOf(list[1])).to.have.members(['StartDate', 'Nope', 'MonthlyRent'])
    expect(fieldsOf(list[2])).to.deep.equal(['Tenant'])
    expect(await total('contract')).to.equal(before + 2)
  })

  it('is not answered with all faults when it is wrong throughout', async () => {
    const row = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, 1]))
    const { text, list } = await batch(Array(500).fill(row))
    expect(text.length).to.be.below(500_000)
    const details = list.map((one) => (one['Error'] as unknown as { Details: Fault[] }).Details)
    const atFirst = [...details[0]!]
    expect([atFirst.length, atFirst[99]?.Field, atFirst[100]?.Message]).to.deep.equal([
      101,
      'k99',
      'has more faults',
    ])
    expect(details.at(-1)).to.deep.equal([
      { Field: 'k0', Message: 'contract has no such field' },
      { Field: '', Message: 'has more faults' },
    ])
  })

  it('may bring dates of the past, when it says so', async () => {
    const past = contractBody({ StartDate: '2001-01-01' })
    const statusOf = async (more: Fields) => (await batch([past], more)).list[0]?.['Status']
    expect(await statusOf({})).to.equal(400)
    expect(await statusOf({ AllowPastDates: false })).to.equal(400)
    expect(await statusOf({ AllowPastDates: true })).to.equal(201)
  })

  it('has one row for a unique value that comes several times, and 409 for the others', async () => {
    const Records = Array.from({ length: 20 }, (_, i) => ({ Name: `Twin ${i}`, ExternalId: 'twin' }))
    const { list } = await service.post('tenant/batch', { Records })
    const conflicts = list.filter(({ Status }) => Status === 409)
    expect(list.filter(({ Status }) => Status === 201)).to.have.length(1)
    expect(conflicts).to.have.length(19)
    for (const { Error } of conflicts) expect(Error).to.include({ Code: 'CONFLICT' })
    expect(
      (await service.list('tenant', { filter: "ExternalId eq 'twin'" })).pagination.TotalRecords,
    ).to.equal(1)
  })

  it('takes 500 records and can be read when it answers', async () => {
    const before = await total('contract')
    const Records = Array.from({ length: 500 }, (_, i) => contractBody({ Notes: `fivehundred ${i}` }))
    const answer = await batch(Records)
    expect(answer.list.filter(({ Status }) => Status === 201)).to.have.length(500)
    expect(await total('contract')).to.equal(before + 500)
    expect((await service.list('contract', { search: 'fivehundred' })).pagination.TotalRecords).to.equal(500)
  })

  it('has numbers of their own for all its records', async () => {
    const answer = await batch(Array.from({ length: 100 }, () => contractBody({ Notes: 'numbered' })))
    const numbers = await Promise.all(
      answer.list.map(async ({ Id }) => (await service.get(`contract/${Id}`)).data['ContractNumber']),
    )
    expect(new Set(numbers)).to.have.property('size', 100)
  })

  it('is refused as a whole when it is no batch, and nothing is created', async () => {
    const before = await total('contract')
    const wrong: readonly (readonly [unknown, string])[] = [
      [{ Records: [] }, 'Records'],
      [{ Records: Array.from({ length: 501 }, () => contractBody()) }, 'Records'],
      [{ Records: contractBody() }, 'Records'],
      [{ Records: { length: 1, 0: contractBody() } }, 'Records'],
      [{}, 'Records'],
      [{ records: [contractBody()] }, 'records'],
      [{ Records: [contractBody()], DryRun: true }, 'DryRun'],
      [{ Records: [contractBody()], AllowPastDates: 'yes' }, 'AllowPastDates'],
      [{ Records: [contractBody()], AllowPastDates: null }, 'AllowPastDates'],
      ['{"Records":[{}],"__proto__":{"AllowPastDates":true}}', '__proto__'],
      [[contractBody()], ''],
      ['null', ''],
    ]
    for (const [body, field] of wrong) {
      const answer = await service.post('contract/batch', body)
      const tried = typeof body === 'string' ? body : JSON.stringify(body).slice(0, 100)
      expect([answer.status, answer.error.Code], tried).to.deep.equal([400, 'VALIDATION_ERROR'])
      expect(
        answer.error.Details.map(({ Field }) => Field),
        tried,
      ).to.deep.equal([field])
    }
    expect(await total('contract')).to.equal(before)
  })

  it('of an object that is not there is 404', async () => {
    expect((await service.post('nope/batch', { Records: [{}] })).status).to.equal(404)
  })

  it('is taken only by POST', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
      const sent = method.startsWith('P') ? { body: { Records: [contractBody()] } } : {}
      expect((await service.send(method, 'contract/batch', sent)).status, method).to.be.oneOf([404, 405])
    }
  })

  it('keeps a row over the size of a record apart from the others', async () => {
    const large = { Name: 'Large', Notes: 'x'.repeat(100_000) }
    const tooLarge = { Name: 'Too large', Tracking: { Text: 'x'.repeat(524_288) } }
    const { list } = await service.post('lead/batch', {
      Records: [large, tooLarge, { Name: 'Small' }].map(({ Name, ...rest }) =>
        'Notes' in rest ? { Name, Message: rest.Notes } : { Name, ...rest },
      ),
    })
    expect(list.map(({ Status }) => Status)).to.deep.equal([201, 413, 201])
    expect((list[1]?.['Error'] as Fields)['Code']).to.equal('VALIDATION_ERROR')
  })

  describe('afterwards', () => {
    it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
  })
})

describe('the rows of a batch', () => {
  it('go on while others are begun: all of their work counts for the turn that they have', async () => {
    let begun = 0
    let most = 0
    const create: WriteRecords['create'] = async () => {
      const own = begun++
      await Promise.resolve()
      most = Math.max(most, begun - own)
      return { position: own + 1, key: `x-${own}` } as Awaited<ReturnType<WriteRecords['create']>>
    }
    const run = batchRoute({
      definitionOf: () => ({ object: 'x' }) as ObjectDefinition,
      write: { create, createRows: () => Promise.reject(new Error('it is not append-only')) },
      readModels: { reached: async () => true } as unknown as Parameters<typeof batchRoute>[0]['readModels'],
      positions: { write: (_company, _of, position) => String(position) },
      charge: () => {},
      readYourWritesMs: 0,
    })
    const caller = { command: '00000000-0000-4000-8000-000000000000' } as Caller
    const body = { Records: Array<Fields>(500).fill({}) }
    const { status } = await run(caller, { body } as Request)
    expect([status, begun]).to.deep.equal([200, 500])
    expect(most).to.be.at.most(3)
  })
})
