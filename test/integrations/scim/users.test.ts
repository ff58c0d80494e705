/** Users of a directory as employees, over HTTP. */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { client } from '../../support/service.ts'
import { APP_ORIGIN, logIn, makeToken, withCookie } from '../../api/identity/identity-support.ts'
import { directory, ENTERPRISE, SCIM_TOKEN, type Directory } from './directory.ts'

describe('a directory that speaks SCIM', () => {
  let okta: Directory
  before(async () => {
    okta = await directory({ settings: { APP_ORIGIN } })
  })
  after(() => okta.service.discard())

  const employee = async (id: string) => (await okta.service.get(`employee/${id}`)).data

  it('makes an employee of a user as Okta sends it, and history says who did it', async () => {
    const user = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
      userName: 'Ada@example.com',
      externalId: '00u1',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ primary: true, value: 'ada@example.com', type: 'work' }],
      phoneNumbers: [{ value: '555', type: 'work' }],
      locale: 'en-GB',
      groups: [],
      password: '1mz050nq',
      active: true,
      [ENTERPRISE]: { department: 'Engines' },
    }
    const answer = await okta.send('POST', '/Users', user)
    expect([answer.status, answer.headers.get('Content-Type')]).to.deep.equal([
      201,
      'application/scim+json; charset=utf-8',
    ])
    const id = answer.json['id'] as string
    const location = `${okta.service.url}/api/v1/scim/v2/${okta.integration.Id}/Users/${id}`
    expect(answer.headers.get('Location')).to.equal(location)
    expect(answer.json).to.deep.include({
      userName: 'Ada@example.com',
      externalId: '00u1',
      displayName: 'Ada Lovelace',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      active: true,
      emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
      [ENTERPRISE]: { employeeNumber: 'Ada@example.com', department: 'Engines' },
    })
    expect(answer.json['meta']).to.include({ resourceType: 'User', location, version: '"1"' })
    expect(answer.text).not.to.include('1mz050nq')
    // Telephones are ours.
    expect(answer.json).not.to.have.property('phoneNumbers')
    expect(await employee(id)).to.include({
      Name: 'Ada Lovelace',
      Status: 'Active',
      UserName: 'Ada@example.com',
    })
    const [created] = (await okta.service.get(`employee/${id}/history`)).list
    expect(created!['By']).to.deep.equal({ Id: okta.integration.Id, Name: 'Okta (integration)' })
    const { metadata } = okta.service.eventsOf(id)[0]!
    expect(metadata['source']).to.equal(`integration:${okta.integration.Id}`)
  })

  it('finds users by filters, page by page, sorted, and in part', async () => {
    for (const name of ['bob', 'cid', 'dora'])
      await okta.create({ userName: `${name}@page.example`, title: name })
    expect(await okta.found('userName eq "nobody@example.com"')).to.deep.equal([])
    expect((await okta.found('userName eq "BOB@page.example"')).length).to.equal(1)
    const parameters = new URLSearchParams({
      filter: 'userName ew "@page.example"',
      sortBy: 'title',
      sortOrder: 'descending',
      startIndex: '2',
      count: '1',
      attributes: 'title,name.givenName',
    })
    const { json } = await okta.send('GET', `/Users?${parameters.toString()}`)
    expect(json).to.deep.include({ totalResults: 3, startIndex: 2, itemsPerPage: 1 })
    const [cid] = json['Resources'] as Fields[]
    expect(cid).to.have.all.keys('schemas', 'id', 'title')
    expect(cid!['title']).to.equal('cid')
    const search = { filter: 'title eq "dora"', excludedAttributes: ['meta', `${ENTERPRISE}:employeeNumber`] }
    const found = (await okta.send('POST', '/Users/.search', search)).json['Resources'] as Fields[]
    expect(found[0]).to.have.all.keys('schemas', 'id', 'userName', 'displayName', 'title', 'active')
    const none = await okta.send('GET', '/Users?count=0')
    expect([none.json['itemsPerPage'], none.json['totalResults']]).to.deep.equal([0, 4])
  })

  it('replaces a user; what is not said is cleared, and what follows from names follows them', async () => {
    const { Id } = await okta.create({
      userName: 'eve@example.com',
      name: { givenName: 'Eve', familyName: 'Old' },
      title: 'Clerk',
    })
    const sent = { userName: 'eve@example.com', name: { givenName: 'Eve', familyName: 'New' } }
    const { json } = await okta.send('PUT', `/Users/${Id}`, sent)
    expect(json).to.include({ displayName: 'Eve New', active: true })
    expect(json).not.to.have.property('title')
  })

  it('deactivates, and takes back; who is on leave stays so', async () => {
    const { Id } = await okta.create({ userName: 'finn@example.com' })
    await okta.service.patch(`employee/${Id}`, { Status: 'OnLeave' })
    await okta.patch(Id, { op: 'replace', value: { active: true } })
    expect((await employee(Id))['Status']).to.equal('OnLeave')
    await okta.patch(Id, { op: 'replace', value: { active: false } })
    expect((await employee(Id))['Status']).to.equal('Left')
    expect((await okta.found('active eq false')).map(({ id }) => id)).to.include(Id)
    await okta.patch(Id, { op: 'replace', value: { active: true } })
    expect((await employee(Id))['Status']).to.equal('Active')
  })

  it('deletes a user and never an employee, and knows them when they come again', async () => {
    const { Id } = await okta.create({ userName: 'gus@example.com', [ENTERPRISE]: { employeeNumber: 'E-7' } })
    expect((await okta.send('DELETE', `/Users/${Id}`)).status).to.equal(204)
    for (const method of ['GET', 'DELETE']) {
      const gone = await okta.send(method, `/Users/${Id}`)
      expect([gone.status, gone.json['status']]).to.deep.equal([404, '404'])
    }
    expect(await employee(Id)).to.include({ Status: 'Left', EmployeeNumber: 'E-7', UserName: null })
    const again = await okta.create({
      userName: 'Gus2@example.com',
      [ENTERPRISE]: { employeeNumber: 'E-7' },
      active: true,
    })
    expect(again.Id).to.equal(Id)
    expect(await employee(Id)).to.include({ Status: 'Active', UserName: 'Gus2@example.com' })
  })

  it('takes over an employee who is there by their number, and leaves what it does not say', async () => {
    const there = await okta.service.create('employee', {
      EmployeeNumber: 'E-8',
      Name: 'Hal',
      JobTitle: 'Clerk',
    })
    expect((await okta.found(`id eq "${there.Id}"`)).length).to.equal(0)
    const { Id } = await okta.create({
      userName: 'hal@example.com',
      displayName: 'Hal B',
      [ENTERPRISE]: { employeeNumber: 'E-8' },
    })
    expect(Id).to.equal(there.Id)
    expect(await employee(Id)).to.include({ Name: 'Hal B', JobTitle: 'Clerk', UserName: 'hal@example.com' })
  })

  it('refuses a user name, or a number, that another user has', async () => {
    await okta.create({ userName: 'ida@example.com', [ENTERPRISE]: { employeeNumber: 'E-9' } })
    const other = await okta.create({ userName: 'jon@example.com' })
    for (const user of [
      { userName: 'IDA@example.com' },
      { userName: 'kim@example.com', [ENTERPRISE]: { employeeNumber: 'E-9' } },
    ]) {
      const answer = await okta.send('POST', '/Users', user)
      expect([answer.status, answer.json['scimType']]).to.deep.equal([409, 'uniqueness'])
    }
    const renamed = await okta.patch(other.Id, { op: 'replace', path: 'userName', value: 'Ida@Example.com' })
    expect([renamed.status, renamed.json['scimType']]).to.deep.equal([409, 'uniqueness'])
    const answers = await Promise.all(
      ['lea', 'LEA', 'Lea'].map((name) => okta.send('POST', '/Users', { userName: `${name}@example.com` })),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409])
  })

  it('keeps to versions', async () => {
    const { Id } = await okta.create({ userName: 'mia@example.com' })
    const got = await okta.send('GET', `/Users/${Id}`)
    const version = (got.json['meta'] as Fields)['version'] as string
    expect(got.headers.get('ETag')).to.equal(version)
    expect((await okta.send('GET', `/Users/${Id}`, undefined, { 'If-None-Match': version })).status).to.equal(
      304,
    )
    const body = { Operations: [{ op: 'replace', path: 'title', value: 'Smith' }] }
    const match = { 'If-Match': `W/${version}` }
    expect((await okta.send('PATCH', `/Users/${Id}`, body, match)).status).to.equal(200)
    const late = await okta.send(
      'PATCH',
      `/Users/${Id}`,
      { Operations: [{ op: 'remove', path: 'title' }] },
      match,
    )
    expect([late.status, late.json['status']]).to.deep.equal([412, '412'])
  })

  it('names the manager by Id, by what it knows them by, or not at all', async () => {
    const boss = await okta.create({ userName: 'nell@example.com', externalId: '00uNELL' })
    const { Id } = await okta.create({
      userName: 'olaf@example.com',
      [ENTERPRISE]: { manager: { value: '00uNELL' } },
    })
    expect((await employee(Id))['Manager']).to.deep.equal({ Id: boss.Id, Name: 'nell@example.com' })
    const path = `${ENTERPRISE}:manager`
    const { json } = await okta.patch(Id, { op: 'replace', path, value: boss.Id })
    expect((json[ENTERPRISE] as Fields)['manager']).to.include({ value: boss.Id })
    for (const value of ['unheard-of', `employee-${'0'.repeat(26)}`]) {
      const refused = await okta.patch(Id, { op: 'replace', path, value })
      expect([refused.status, refused.json['scimType']], value).to.deep.equal([400, 'invalidValue'])
    }
    await okta.patch(Id, { op: 'Replace', path, value: '' })
    expect((await employee(Id))['Manager']).to.equal(null)
  })

  it('refuses a manager who is not here yet, and keeps nothing of it; one who came later is set', async () => {
    for (const value of ['00uRUTH', `employee-${'0'.repeat(26)}`]) {
      const early = { userName: 'quin@example.com', [ENTERPRISE]: { manager: { value } } }
      const refused = await okta.send('POST', '/Users', early)
      expect([refused.status, refused.json['scimType']], value).to.deep.equal([400, 'invalidValue'])
      expect(refused.json['detail'], value).to.match(/^manager\b/)
      expect(await okta.found('userName eq "quin@example.com"')).to.deep.equal([])
    }
    // What a directory that keeps to the RFC does: the Id of the manager is known once the manager is there.
    const path = `${ENTERPRISE}:manager`
    const quin = await okta.create({ userName: 'quin@example.com' })
    expect(quin[ENTERPRISE]).not.to.have.property('manager')
    const ruth = await okta.create({ userName: 'ruth@example.com', externalId: '00uRUTH' })
    const later = await okta.patch(quin.Id, { op: 'Add', path, value: ruth.Id })
    expect((later.json[ENTERPRISE] as Fields)['manager']).to.include({ value: ruth.Id })
    // What a directory does that names managers by text and tries again.
    const again = await okta.create({
      userName: 'sid@example.com',
      [ENTERPRISE]: { manager: { value: '00uRUTH' } },
    })
    expect((await employee(again.Id))['Manager']).to.deep.equal({ Id: ruth.Id, Name: 'ruth@example.com' })
  })

  it('says what is wrong in the words of SCIM', async () => {
    const { Id } = await okta.create({ userName: 'pia@example.com' })
    for (const [method, path, body, said] of [
      ['POST', '/Users', { displayName: 'x' }, ['400', 'invalidValue', 'userName is required']],
      ['POST', '/Users', '{', ['400', 'invalidSyntax', 'not valid JSON']],
      ['POST', '/Users', [], ['400', 'invalidSyntax', 'must be a user']],
      ['POST', '/Users', { userName: 'q', title: 'x'.repeat(101) }, ['400', 'invalidValue', 'title ']],
      [
        'POST',
        '/Users',
        { userName: 'q', emails: [{ value: 'none' }] },
        ['400', 'invalidValue', 'emails.work '],
      ],
      ['GET', '/Users?filter=shoeSize%20pr', undefined, ['400', 'invalidFilter', 'shoeSize']],
      ['GET', '/Users?sortBy=emails.x', undefined, ['400', 'invalidPath', 'sorted']],
      ['GET', '/Users?count=x', undefined, ['400', 'invalidValue', 'count']],
      ['GET', '/Users?attributes=a&excludedAttributes=b', undefined, ['400', 'invalidValue', 'together']],
      ['PATCH', `/Users/${Id}`, { Operations: [{ op: 'x' }] }, ['400', 'invalidSyntax', 'Operations[0].op']],
      ['GET', `/Users/${okta.integration.Id}`, undefined, ['404', undefined, 'there is no user']],
      ['GET', '/Groups', undefined, ['404', undefined, 'there is no']],
      ['PUT', '/Users', {}, ['405', undefined, 'this route takes GET, HEAD, POST']],
    ] as const) {
      const answer = await okta.send(method, path, body)
      const { status, scimType, detail, schemas } = answer.json as Record<string, string>
      expect(schemas).to.deep.equal(['urn:ietf:params:scim:api:messages:2.0:Error'])
      expect([String(answer.status), status, scimType], path).to.deep.equal([said[0], said[0], said[1]])
      expect(detail, path).to.include(said[2])
    }
    const text = await okta.send('POST', '/Users', 'x', { 'Content-Type': 'text/plain' })
    expect([text.status, text.json['status']]).to.deep.equal([415, '415'])
    const large = await okta.send('POST', '/Users', { userName: 'x'.repeat(1_100_000) })
    expect([large.status, large.json['status']]).to.deep.equal([413, '413'])
  })

  it('lets in the token of its integration alone, and only while that runs', async () => {
    const at = `integrations/${okta.integration.Id}`
    for (const Authorization of ['', 'Bearer other', 'Bearer some-token-0123456789']) {
      const refused = await okta.send('GET', '/Users', undefined, { Authorization })
      expect([refused.status, refused.json['status']]).to.deep.equal([401, '401'])
      expect(refused.headers.get('WWW-Authenticate')).to.be.a('string')
    }
    await okta.service.post(`${at}/rotate-secret`, { Credential: 'token', Value: 'the-next-token' })
    for (const token of [SCIM_TOKEN, 'the-next-token'])
      expect(
        (await okta.send('GET', '/Users', undefined, { Authorization: `Bearer ${token}` })).status,
      ).to.equal(200)
    await okta.service.post(`${at}/pause`)
    expect((await okta.send('GET', '/Users')).status).to.equal(503)
    await okta.service.post(`${at}/stop`)
    expect((await okta.send('GET', '/Users')).status).to.equal(404)
    await okta.service.post(`${at}/start`)
    expect((await okta.send('GET', '/Users')).status).to.equal(200)
  })

  it('knows nothing of another company', async () => {
    const [AdminEmail, AdminPassword] = ['bo@example.com', 'correct horse battery staple']
    const company = await okta.service.post('identity/companies', {
      Name: 'Other',
      AdminEmail,
      AdminPassword,
    })
    const bo = { Email: AdminEmail, Password: AdminPassword, CompanyKey: company.data.Id }
    const cookie = { ...withCookie(await logIn(okta.service, bo)), Origin: APP_ORIGIN }
    const token = await makeToken(okta.service, ['system_admin'], cookie)
    const admin = client(() => okta.service.url, token.value)
    const theirs = await admin.create('employee', {
      EmployeeNumber: '1',
      Name: 'X',
      UserName: 'x@example.com',
    })
    const made = (
      await admin.post('integrations', { Definition: 'scim', Credentials: { token: 'of-theirs' } })
    ).data
    await admin.post(`integrations/${made.Id}/start`)
    const there = client(() => okta.service.url, 'of-theirs')
    expect((await there.get(`scim/v2/${made.Id}/Users`)).json['totalResults']).to.equal(1)
    expect((await there.get(`scim/v2/${okta.integration.Id}/Users`)).status).to.equal(401)
    expect(await okta.found('userName eq "x@example.com"')).to.deep.equal([])
    const nobody = `employee-${'0'.repeat(26)}`
    for (const method of ['GET', 'DELETE']) {
      const [one, other] = [
        await okta.send(method, `/Users/${theirs.Id}`),
        await okta.send(method, `/Users/${nobody}`),
      ]
      expect([one.status, one.text.replace(theirs.Id, '')]).to.deep.equal([
        404,
        other.text.replace(nobody, ''),
      ])
    }
    expect((await okta.send('POST', '/Users', { userName: 'x@example.com' })).status).to.equal(201)
  })

  it('may do no more than the role of its integration', async () => {
    const at = `integrations/${okta.integration.Id}`
    await okta.service.patch(at, { RunAs: 'viewer' })
    const refused = await okta.send('POST', '/Users', { userName: 'zoe@example.com' })
    expect([refused.status, refused.json['status']]).to.deep.equal([403, '403'])
    expect((await okta.send('GET', '/Users')).status).to.equal(200)
    await okta.service.patch(at, { RunAs: 'integration' })
  })

  it('has logged nothing', () => {
    // But that requests were refused while it was paused.
    const others = okta.service.logged.filter(({ fields }) => !('status' in fields) || fields.status !== 503)
    expect(others).to.deep.equal([])
  })
})

describe('a directory that asks too often', () => {
  it('is told when to come again, by its own limit', async () => {
    const okta = await directory({ settings: { RATE_LIMIT_PER_MINUTE: '60' } })
    let answer = await okta.send('GET', '/Users')
    for (let asked = 1; asked < 200 && answer.status === 200; asked++)
      answer = await okta.send('GET', '/Users')
    expect([answer.status, answer.json['status']]).to.deep.equal([429, '429'])
    expect(Number(answer.headers.get('Retry-After'))).to.be.greaterThan(0)
    // Others of the same address are not.
    expect((await okta.service.get('employee')).status).to.equal(200)
    await okta.service.discard()
  })
})
