/** What Microsoft Entra ID sends, in its order and its manner. */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { directory, ENTERPRISE, type Directory } from './directory.ts'

describe('Microsoft Entra ID', () => {
  let entra: Directory
  let id: string
  before(async () => {
    entra = await directory()
  })
  after(() => entra.service.discard())

  it('tests the connection, looks for a user and makes it', async () => {
    expect(await entra.found('userName eq "0f9f6d32-1d0d-4d4d-8b5b-6e0b5a6d2f3b"')).to.deep.equal([])
    const made = await entra.send('POST', '/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
      externalId: 'ada',
      userName: 'ada@contoso.example',
      active: true,
      addresses: null,
      displayName: 'Ada Lovelace',
      emails: [{ type: 'work', value: 'ada@contoso.example', primary: true }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Ada Lovelace', familyName: 'Lovelace', givenName: 'Ada' },
      roles: [],
      title: null,
      phoneNumbers: null,
      [ENTERPRISE]: { employeeNumber: '4711', department: null },
    })
    expect(made.status).to.equal(201)
    id = made.json['id'] as string
    expect((await entra.found('externalId eq "ada"')).map((one) => one['id'])).to.deep.equal([id])
  })

  it('changes it in one request of many operations', async () => {
    const boss = await entra.create({ userName: 'boss@contoso.example' })
    const { status, json } = await entra.patch(
      id,
      { op: 'Add', path: 'title', value: 'Countess' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'al@contoso.example' },
      { op: 'Replace', path: 'name.familyName', value: 'King' },
      { op: 'Replace', path: 'displayName', value: 'Ada King' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '555' },
      { op: 'Add', path: 'addresses[type eq "work"].country', value: 'GB' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Engines' },
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: [{ $ref: null, value: boss.Id }] },
      { op: 'Add', value: { [`${ENTERPRISE}:costCenter`]: '17', 'name.givenName': 'Augusta' } },
    )
    expect(status).to.equal(200)
    expect(json).to.deep.include({
      title: 'Countess',
      displayName: 'Ada King',
      name: { givenName: 'Augusta', familyName: 'King' },
      emails: [{ value: 'al@contoso.example', type: 'work', primary: true }],
    })
    expect(json[ENTERPRISE]).to.deep.include({
      employeeNumber: '4711',
      department: 'Engines',
      costCenter: '17',
    })
    // One change, whatever it is made of.
    expect(entra.service.eventsOf(id)).to.have.length(2)
    const again = await entra.patch(id, { op: 'Replace', path: 'title', value: 'Countess' })
    expect((again.json['meta'] as Fields)['version']).to.equal('"2"')
  })

  it('disables by text, enables, and deletes', async () => {
    expect(
      (await entra.patch(id, { op: 'Replace', path: 'active', value: 'False' })).json['active'],
    ).to.equal(false)
    expect((await entra.patch(id, { op: 'Replace', path: 'active', value: 'True' })).json['active']).to.equal(
      true,
    )
    await entra.patch(id, { op: 'Remove', path: `${ENTERPRISE}:manager` })
    expect((await entra.send('DELETE', `/Users/${id}`)).status).to.equal(204)
    expect(await entra.found('externalId eq "ada"')).to.deep.equal([])
    expect((await entra.service.get(`employee/${id}`)).data).to.include({
      Status: 'Left',
      EmployeeNumber: '4711',
    })
  })
})
