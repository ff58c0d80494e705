/** Lists over HTTP and their parameters (docs/interface.md#list-parameters, docs/open-facts.md 11, 12 and 35). */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { testService, type TestService, textOf, type Data } from '../../support/service.ts'
import { contractBody, createLease, type Lease } from '../../system/support/leasing.ts'

describe('a list over HTTP', () => {
  let service: TestService
  let lease: Lease
  /** In the order of their creation. */
  let contracts: readonly Data[]

  const TOTAL = 30

  before(async () => {
    service = await testService()
    lease = await createLease(service, { tenant: 'Zoë O’Brien', building: 'Ångström Court' })
    const { Id: rival } = await service.create('tenant', { Name: 'anna 100%_*' })
    const made: Data[] = []
    for (let i = 0; i < TOTAL; i++)
      made.push(
        await service.create('contract', {
          ...contractBody({ StartDate: `2999-01-${String(30 - i).padStart(2, '0')}` }),
          ...(i % 3 === 0 ? lease.lookups : i % 3 === 1 ? { Tenant: rival } : {}),
          MonthlyRent: { Amount: 500 + i * 10.5, Currency: i % 2 ? 'EUR' : 'USD' },
          ...(i % 5 > 0 && { Duration: i % 5 }),
          LeaseType: i % 2 ? 'New' : 'Renewal',
          Notes: `Note ${i}: it's "${i % 4}" %_\\`,
        }),
      )
    await service.patch(`contract/${textOf(made[0], 'Id')}`, { Status: 'Active' })
    await service.patch(`contract/${textOf(made[7], 'Id')}`, { Status: 'Active' })
    const all = await Promise.all(made.map(({ Id }) => service.get(`contract/${Id}`)))
    contracts = all.map(({ data }) => data)
  })
  after(() => service.discard())

  const list = (parameters: Record<string, string> = {}) => service.list('contract', parameters)
  const numbersOf = (records: readonly Fields[]) =>
    records.map((record) => contracts.findIndex((one) => one['Id'] === record['Id']))
  /** Which contracts a filter finds, by the order of their creation. */
  const found = async (filter: string) => {
    const answer = await list({ filter, pageSize: '100', sort: 'ContractNumber' })
    expect(answer.status, answer.text.slice(0, 300)).to.equal(200)
    expect(answer.pagination.TotalRecords).to.equal(answer.list.length)
    return numbersOf(answer.list)
  }
  const those = (holds: (contract: Fields, index: number) => boolean) =>
    contracts.flatMap((contract, index) => (holds(contract, index) ? [index] : []))
  const amountOf = ({ MonthlyRent }: Fields) => (MonthlyRent as { Amount: number }).Amount

  describe('pages', () => {
    it('hold 25 records, the newest first, when nothing is said', async () => {
      const answer = await list()
      expect(answer.status).to.equal(200)
      expect(answer.json).to.have.all.keys('Success', 'Data', 'Pagination')
      expect(answer.pagination).to.deep.equal({ Page: 1, PageSize: 25, TotalRecords: TOTAL, TotalPages: 2 })
      expect(answer.list).to.deep.equal(contracts.slice(-25).reverse())
    })

    it('together hold every record once', async () => {
      const seen: Fields[] = []
      for (let page = 1; page <= 5; page++) {
        const answer = await list({ page: String(page), pageSize: '7' })
        expect(answer.pagination).to.deep.equal({
          Page: page,
          PageSize: 7,
          TotalRecords: TOTAL,
          TotalPages: 5,
        })
        seen.push(...answer.list)
      }
      expect(seen).to.deep.equal([...contracts].reverse())
    })

    it('past the end are empty and still tell the total', async () => {
      for (const page of ['3', '1000000', '90000000000000']) {
        const answer = await list({ page })
        expect(answer.status, page).to.equal(200)
        expect(answer.list).to.deep.equal([])
        const pagination = { Page: Number(page), PageSize: 25, TotalRecords: TOTAL, TotalPages: 2 }
        expect(answer.pagination).to.deep.equal(pagination)
      }
    })

    it('of more than 100 records have 100, and say so', async () => {
      for (const pageSize of ['100', '101', '1000000', '99999999999999999999'])
        expect((await list({ pageSize })).pagination.PageSize, pageSize).to.equal(100)
    })

    it('of nothing are no pages', async () => {
      const { pagination } = await service.list('workorder')
      expect(pagination).to.deep.equal({ Page: 1, PageSize: 25, TotalRecords: 0, TotalPages: 0 })
    })

    it('are refused by name when they are not counted from 1 in decimal digits', async () => {
      for (const parameter of ['page', 'pageSize'])
        for (const value of ['0', '-1', '1.5', '1e2', 'x', '', ' 1', '+1', '0x1', '１', 'null', '1;2']) {
          const answer = await list({ [parameter]: value })
          expect([answer.status, answer.error.Code], `${parameter}=${value}`).to.deep.equal([
            400,
            'VALIDATION_ERROR',
          ])
          expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal([parameter])
        }
    })
  })

  describe('sort', () => {
    const sorted = async (sort: string) => numbersOf((await list({ sort, pageSize: '100' })).list)

    it('orders by a field, and the other way round after a minus', async () => {
      const byStart = those(() => true).reverse()
      expect(await sorted('StartDate')).to.deep.equal(byStart)
      expect(await sorted('-StartDate')).to.deep.equal([...byStart].reverse())
    })

    it('orders money by its amount, and a lookup by what it shows, whatever the case', async () => {
      expect(await sorted('MonthlyRent')).to.deep.equal(those(() => true))
      const byTenant = await sorted('Tenant')
      expect(byTenant).to.deep.equal([
        ...those((_, i) => i % 3 === 2),
        ...those((_, i) => i % 3 === 1),
        ...those((_, i) => i % 3 === 0),
      ])
      expect(await sorted('Tenant/Name')).to.deep.equal(byTenant)
      expect(await sorted('-Tenant/Name')).to.deep.equal([...byTenant].reverse())
    })

    it('orders text of many lines as other text, though no index has it', async () => {
      const notes = contracts.map((contract) => textOf(contract, 'Notes').toLowerCase())
      const expected = [...notes.keys()].sort((a, b) => (notes[a]! < notes[b]! ? -1 : 1))
      expect(await sorted('Notes')).to.deep.equal(expected)
      expect(await sorted('-Notes')).to.deep.equal(expected.reverse())
    })

    it('takes further fields where the first are equal', async () => {
      const expected = [...contracts.keys()].sort(
        (a, b) =>
          textOf(contracts[a], 'LeaseType').localeCompare(textOf(contracts[b], 'LeaseType')) ||
          Number(contracts[b]?.['Duration'] ?? 0) - Number(contracts[a]?.['Duration'] ?? 0) ||
          a - b,
      )
      expect(await sorted('LeaseType,-Duration,ContractNumber')).to.deep.equal(expected)
    })

    it('is refused for what is not there, has no order, comes twice, or is too much', async () => {
      for (const sort of ['', ',', 'StartDate,', 'Start', 'startdate', '--StartDate', 'StartDate,-StartDate'])
        expect(
          (await list({ sort })).error.Details.map(({ Field }) => Field),
          sort,
        ).to.deep.equal(['sort'])
      for (const sort of [
        'StartDate desc',
        'Tenant/Nope',
        'Status/Name',
        'MonthlyRent/Cents',
        'Id;DROP',
        '1',
        '*',
      ])
        expect((await list({ sort })).status, sort).to.equal(400)
      const six = 'StartDate,EndDate,Duration,LeaseType,Status,CreatedAt'
      expect((await list({ sort: six })).status).to.equal(400)
    })
  })

  describe('filter', () => {
    it('takes the forms of the interface', async () => {
      expect(await found("LeaseType eq 'New'")).to.deep.equal(those(({ LeaseType }) => LeaseType === 'New'))
      expect(await found("Status ne 'Draft'")).to.deep.equal([0, 7])
      expect(await found('MonthlyRent gt 700')).to.deep.equal(those((one) => amountOf(one) > 700))
      expect(await found("contains(Tenant/Name, 'brien')")).to.deep.equal(those((_, i) => i % 3 === 0))
      expect(await found("Status eq 'Active' and LeaseType eq 'New'")).to.deep.equal([7])
    })

    it('takes the other operators of OData', async () => {
      expect(await found('Duration eq null')).to.deep.equal(those((_, i) => i % 5 === 0))
      expect(await found('Duration ne null')).to.deep.equal(those((_, i) => i % 5 > 0))
      expect(await found('Duration ge 3')).to.deep.equal(those((_, i) => i % 5 >= 3))
      expect(await found('not (Duration ge 3)')).to.deep.equal(those((_, i) => i % 5 < 3))
      expect(await found('Duration lt 2 or Duration in (4, null)')).to.deep.equal(
        those((_, i) => [0, 1, 4].includes(i % 5)),
      )
      expect(await found('MonthlyRent/Amount le 521')).to.deep.equal([0, 1, 2])
      expect(await found("MonthlyRent/Currency eq 'USD'")).to.deep.equal(those((_, i) => i % 2 === 0))
      expect(await found('StartDate le 2999-01-02')).to.deep.equal([28, 29])
      expect(await found("StartDate eq '2999-01-30'")).to.deep.equal([0])
      expect(await found('CreatedAt lt 2000-01-01T00:00:00Z')).to.deep.equal([])
      expect(await found("startswith(Notes, 'NOTE 1') and endswith(Notes, '\\')")).to.deep.equal(
        those((_, i) => String(i).startsWith('1')),
      )
      expect(await found("tolower(Tenant/Name) eq 'zoë o’brien'")).to.deep.equal(those((_, i) => i % 3 === 0))
      expect(await found("Tenant/Name eq 'ZOË O’BRIEN'")).to.deep.equal([])
      expect(await found(`Tenant eq '${lease.tenant}'`)).to.deep.equal(those((_, i) => i % 3 === 0))
      expect(await found("Tenant/Email eq 'ada@example.com'")).to.deep.equal(those((_, i) => i % 3 === 0))
      expect(await found("Unit/Building/Name eq 'Ångström Court'")).to.deep.equal(
        those((_, i) => i % 3 === 0),
      )
      expect(await found(`Id eq '${textOf(contracts[4], 'Id')}'`)).to.deep.equal([4])
    })

    it('takes quotes, wildcards and backslashes for the characters they are', async () => {
      expect(await found("contains(Notes, 'it''s \"3\"')")).to.deep.equal(those((_, i) => i % 4 === 3))
      expect(await found("contains(Notes, '%_\\')")).to.have.length(TOTAL)
      for (const text of ['%', '_', '*', '100%_*']) {
        const expected = those((_, i) => i % 3 === 1)
        expect(await found(`contains(Tenant/Name, '${text}')`), text).to.deep.equal(expected)
      }
      for (const text of ['a%a', 'a__a', '.*', '[a-z]', '%%', 'anna*', '^anna'])
        expect(await found(`contains(Tenant/Name, '${text}')`), text).to.deep.equal([])
      expect(await found("startswith(Tenant/Name, '%')")).to.deep.equal([])
      expect(await found("startswith(Tenant/Name, 'ANNA 1')")).to.deep.equal(those((_, i) => i % 3 === 1))
    })

    it('is refused with the place of what it does not understand', async () => {
      const wrong: readonly (readonly [string, RegExp])[] = [
        ['Rent gt 5', /unknown field Rent at 1; did you mean MonthlyRent\?/],
        ["Status eq 'Draft' and Rent gt 5", /at 23/],
        ['Status eq Draft', /at 11; write 'Draft'/],
        ["Status = 'Draft'", /at 8; write eq/],
        ["Status eq 'Draft", /at 11/],
        ["MonthlyRent gt '5'", /at 16/],
        ['Duration gt 1.5e999', /at 13/],
        ["Tenant eq 'Ada'", /at 11/],
        ['Status', /./],
        ['', /at 1/],
        ["contains(Duration, '1')", /at 10/],
        ['Tenant/Nope eq 1', /at 8/],
      ]
      for (const [filter, message] of wrong) {
        const answer = await list({ filter })
        expect([answer.status, answer.error.Code], filter).to.deep.equal([400, 'VALIDATION_ERROR'])
        expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['filter'])
        expect(answer.error.Details[0]?.Message).to.match(message)
      }
    })
  })

  describe('fields', () => {
    it('shows what it names, in the order of the record, and always Id', async () => {
      const expected = [...contracts]
        .reverse()
        .slice(0, 25)
        .map(({ Id, Tenant, Status }) => ({ Id, Tenant, Status }))
      for (const fields of ['Tenant,Status', 'Status, Tenant', 'Id,Status,Tenant,Status']) {
        const answer = await list({ fields })
        expect(answer.list, fields).to.deep.equal(expected)
        expect(Object.keys(answer.list[0] ?? {})).to.deep.equal(['Id', 'Tenant', 'Status'])
      }
      const path = `contract/${textOf(contracts[0], 'Id')}`
      expect((await service.get(`${path}?fields=Status`)).data).to.deep.equal({
        Id: contracts[0]?.['Id'],
        Status: 'Active',
      })
    })

    it('is refused for names that are no fields', async () => {
      for (const fields of ['', 'Nope', 'status', 'Tenant/Name', 'Status,', '*', '__proto__', 'constructor'])
        for (const path of ['contract', `contract/${textOf(contracts[0], 'Id')}`]) {
          const answer = await service.list(path, { fields })
          expect(answer.status, fields).to.equal(400)
          expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['fields'])
        }
    })
  })

  describe('expand', () => {
    it('is refused for what is no lookup', async () => {
      for (const expand of ['', 'Status', 'Nope', 'tenant', 'Tenant/Name', 'Unit/Building', 'Tenant,'])
        for (const path of ['contract', `contract/${textOf(contracts[0], 'Id')}`]) {
          const answer = await service.list(path, { expand })
          expect(answer.status, expand).to.equal(400)
          expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['expand'])
        }
    })
  })

  describe('search', () => {
    const searched = async (search: string) =>
      numbersOf((await list({ search, pageSize: '100', sort: 'ContractNumber' })).list)

    it('finds beginnings of words in every text field, whatever their case and accents', async () => {
      const withLease = those((_, i) => i % 3 === 0)
      for (const search of ['zoe', 'ZOË obri', 'brien', 'angstrom', 'Ång court', '4b zoë', 'O’Brien'])
        expect(await searched(search), search).to.deep.equal(search === 'ZOË obri' ? [] : withLease)
      expect(await searched(textOf(contracts[12], 'ContractNumber'))).to.deep.equal([12])
      expect(await searched('note 17')).to.deep.equal([17])
      expect(await searched('ote')).to.deep.equal([])
    })

    it('goes together with filter, sort and pages', async () => {
      const answer = await list({
        search: 'zoe',
        filter: "LeaseType eq 'New'",
        sort: '-MonthlyRent',
        page: '2',
        pageSize: '2',
        fields: 'ContractNumber',
      })
      const matching = those((one, i) => i % 3 === 0 && one['LeaseType'] === 'New').reverse()
      expect(numbersOf(answer.list)).to.deep.equal(matching.slice(2, 4))
      expect(answer.pagination).to.deep.equal({
        Page: 2,
        PageSize: 2,
        TotalRecords: matching.length,
        TotalPages: Math.ceil(matching.length / 2),
      })
    })

    it('is no search when it is empty, and finds nothing by what is no word', async () => {
      expect((await list({ search: '' })).pagination.TotalRecords).to.equal(TOTAL)
      for (const search of ['!!!', '"', '*', "'", '%', '😀']) {
        const answer = await list({ search })
        expect(answer.status, search).to.equal(400)
        expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['search'])
      }
    })

    it('takes the words of a query language for words', async () => {
      const withLease = those((_, i) => i % 3 === 0)
      for (const search of ['zoe OR 4b', 'zoe AND 4b', 'NEAR(zoe brien)', '"zoe" nope*', 'words:zoe'])
        expect(await searched(search), search).to.deep.equal([])
      // NOT begins the word Note, which every contract has.
      expect(await searched('zoe NOT brien')).to.deep.equal(withLease)
      expect(await searched('zoe* "brien"')).to.deep.equal(withLease)
    })
  })

  it('of an object that is not there is 404', async () => {
    for (const object of [
      'nope',
      'Contract',
      'CONTRACT',
      'contracts',
      '__proto__',
      'constructor',
      'sqlite_master',
      'events',
    ]) {
      const answer = await service.list(object)
      expect([answer.status, answer.error.Code], object).to.deep.equal([404, 'NOT_FOUND'])
    }
  })

  describe('afterwards', () => {
    it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
  })
})
