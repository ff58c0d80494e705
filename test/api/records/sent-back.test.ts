/**
 * Everything that an answer shows, and what attackers like to add, is sent back one by one: it is refused, naming it, or
 * it changes nothing but the field that it is.
 */
import { expect } from 'chai'
import type { Fields, Json } from '../../../src/domain/json.ts'
import { testService, type TestService } from '../../support/service.ts'
import { companyOf, logIn, makeToken, makeUser, withCookie, withToken } from '../identity/identity-support.ts'

/** As JSON text: an own `__proto__` is lost in an object literal. */
const ADDED: readonly string[] = [
  '{"Id":"contract-00000000000000000000000000"}',
  '{"CompanyId":"company-1"}',
  '{"Company":{"Id":"company-1"}}',
  '{"CompanyKey":"company-1"}',
  '{"company":"company-1"}',
  '{"_id":"1"}',
  '{"IsAdmin":true}',
  '{"IsDeleted":true}',
  '{"Version":99}',
  '{"CreatedBy":"user-1"}',
  '{"PasswordHash":"x"}',
  '{"SessionEpoch":0}',
  '{"Hash":"x"}',
  '{"Owner":"user-1"}',
  '{"Permissions":["*"]}',
  '{"$set":{"Name":"x"}}',
  '{"$where":"1"}',
  '{"$ne":null}',
  '{"Name.x":"y"}',
  '{"__proto__":{"Name":"x"}}',
  '{"constructor":{"prototype":{"Name":"x"}}}',
  '{"prototype":{}}',
  '{"toString":"x"}',
  '{"":"x"}',
]
const OPERATORS: readonly Json[] = [{ $ne: null }, { $gt: '' }, { $regex: '.*' }, ['a'], [], 7, true]

describe('what is sent back', () => {
  let service: TestService
  /** Paths of one thing of each kind; `made` is how it was made. */
  let kinds: readonly { readonly path: string; readonly of: string; readonly made: Fields }[]

  before(async () => {
    service = await testService()
    const building = await service.create('building', { Name: 'Am Hafen' })
    const of = (object: string, made: Fields) => ({ of: object, made })
    const makings = [
      of('contract', {
        MonthlyRent: { Amount: 1, Currency: 'EUR' },
        StartDate: '2999-01-01',
        Building: building.Id,
        Notes: 'n',
      }),
      of('tenant', { Name: 'Ann', Email: 'ann@example.com' }),
      of('identity/users', {
        Email: 'x@example.com',
        Name: 'X',
        Password: 'long enough it is',
        Roles: ['viewer'],
      }),
      of('identity/roles', { Name: 'own', Grants: [{ Object: 'tenant', Actions: ['read'] }] }),
      of('webhooks', { Url: 'https://hooks.example.com/x', Events: ['contract.created'] }),
      of('identity/companies', {
        Name: 'Other',
        AdminEmail: 'x@example.com',
        AdminPassword: 'long enough it is',
      }),
    ]
    kinds = await Promise.all(
      makings.map(async (making) => {
        const answer = await service.post(making.of, making.made)
        expect(answer.status, answer.text).to.equal(201)
        return { ...making, path: `${making.of}/${answer.data.Id}` }
      }),
    )
  })
  after(() => service.discard())

  const shownAt = async (path: string): Promise<Fields> => {
    const { ModifiedAt: _, ...shown } = (await service.get(path)).data
    return shown
  }

  it('is refused, or leaves all as it was, field by field', async () => {
    let refused = 0
    for (const { path, of } of kinds) {
      const before = await shownAt(path)
      for (const method of /\/|webhooks/.test(of) ? ['PATCH'] : ['PATCH', 'PUT'])
        for (const [name, shown] of Object.entries((await service.get(path)).data)) {
          // A lookup is written as the Key that it shows.
          const key = (shown as { readonly Id?: string } | null)?.Id
          const answer = await service.send(method, path, { body: { [name]: key ?? shown } })
          expect(answer.status, `${method} ${path} ${name}: ${answer.text}`).to.be.oneOf([200, 400])
          if (answer.status === 400) refused++
          if (['Id', 'CreatedAt', 'ModifiedAt', 'ContractNumber'].includes(name))
            expect([answer.status, answer.error.Details[0]?.Field], `${path} ${name}`).to.deep.equal([
              400,
              name,
            ])
        }
      expect(await shownAt(path), path).to.deep.equal(before)
    }
    expect(refused).to.be.greaterThan(kinds.length * 3)
  })

  it('with more than there is, is refused whole, when it is made and when it is changed', async () => {
    for (const { path, of, made } of kinds) {
      const [before, total] = [await shownAt(path), (await service.get(of)).pagination.TotalRecords]
      const fresh = JSON.stringify({
        ...made,
        ...(made['Email'] !== undefined && { Email: 'y@example.com' }),
      })
      for (const added of ADDED) {
        const name = Object.keys(JSON.parse(added) as Fields)[0]
        for (const answer of [
          await service.patch(path, added),
          await service.post(of, `${fresh.slice(0, -1)},${added.slice(1)}`),
        ]) {
          expect(answer.status, `${of} ${added}: ${answer.text}`).to.equal(400)
          expect(
            answer.error.Details.map(({ Field }) => Field),
            `${of} ${added}`,
          ).to.include(name)
        }
      }
      expect([await shownAt(path), (await service.get(of)).pagination.TotalRecords], of).to.deep.equal([
        before,
        total,
      ])
    }
    expect(({} as Fields)['Name']).to.equal(undefined)
  })

  it('gives nobody roles that he has not', async () => {
    const user = await makeUser(service, ['viewer'])
    const cookie = withCookie(await logIn(service, { ...user, CompanyKey: await companyOf(service) }))
    const token = withToken((await makeToken(service, ['viewer'])).value)
    for (const body of [
      { Roles: ['system_admin'] },
      { Name: 'x', Roles: ['system_admin'] },
      { IsActive: true },
      { Email: 'other@example.com' },
      { Company: 'company-1' },
    ])
      for (const headers of [{ ...cookie, Origin: '' }, cookie, token])
        expect((await service.patch('identity/me', body, headers)).status).to.be.oneOf([400, 403])
    expect((await service.get('identity/me', cookie)).data['Roles']).to.deep.equal(['viewer'])
  })

  it('as an operator, an array or a number where text belongs, is refused', async () => {
    const texts: Readonly<Record<string, readonly string[]>> = {
      contract: ['Notes', 'Building', 'StartDate', 'Status', 'LeaseType'],
      tenant: ['Name', 'Email', 'Phone', 'ExternalId'],
      'identity/users': ['Email', 'Name', 'Password'],
      'identity/roles': ['Name', 'Description'],
      webhooks: ['Url', 'Secret', 'Description', 'Filter'],
      'identity/companies': ['Name'],
    }
    for (const { of, path } of kinds)
      for (const name of texts[of]!)
        for (const value of OPERATORS) {
          const answer = await service.patch(path, { [name]: value })
          expect([answer.status, answer.error.Details[0]?.Field], `${path} ${name}`).to.deep.equal([
            400,
            name,
          ])
        }
    for (const value of OPERATORS)
      for (const name of ['Email', 'Password', 'CompanyKey']) {
        const body = { Email: 'x@example.com', Password: 'x', CompanyKey: 'x', [name]: value }
        expect((await service.post('identity/login', body)).faults).to.deep.equal([`${name}: must be text`])
      }
  })

  it('has no Id but Keys, anywhere', async () => {
    /** `daybook` is the service itself. */
    const isKey = (value: Json) => typeof value === 'string' && /^([a-z]+-.+|daybook)$/.test(value)
    const others = (value: Json, at: string): string[] => {
      if (typeof value !== 'object' || value === null) return []
      return Object.entries(value).flatMap(([name, inner]: [string, Json]) => [
        ...(/(^|[a-z])(Id|Key)$/.test(name) && inner !== null && !isKey(inner) ? [`${at}.${name}`] : []),
        ...others(inner, `${at}.${name}`),
      ])
    }
    for (const path of [
      ...kinds.flatMap((kind) => [kind.path, kind.of]),
      'identity/me',
      'identity/tokens',
      'audit',
      `${kinds[0]!.path}/history`,
      'contract/changes',
    ])
      expect(others((await service.get(path)).json, path)).to.deep.equal([])
  })

  it('has broken nothing', () =>
    expect(service.logged.filter(({ level }) => level === 'error')).to.deep.equal([]))
})
