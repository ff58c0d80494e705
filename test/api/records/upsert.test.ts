/** `PUT /{object}/by/{Field}/{value}`: the record that has this unique value, changed or created (docs/open-facts.md 42). */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { testService, type HeaderValues, type TestService } from '../../support/service.ts'
import { definitionsFolder, gadget } from '../../system/support/gadget.ts'

describe('an upsert over HTTP', () => {
  const folder = definitionsFolder(gadget)
  let service: TestService

  before(async () => {
    service = await testService({ settings: { DEFINITIONS_DIR: folder.path } })
  })
  after(async () => {
    await service.discard()
    folder.remove()
  })

  const upsert = (value: string, body: unknown, headers: HeaderValues = {}) =>
    service.put(`tenant/by/ExternalId/${encodeURIComponent(value)}`, body, headers)
  const withValue = async (value: string) =>
    (await service.list('tenant', { filter: `ExternalId eq '${value.replaceAll("'", "''")}'` })).list

  it('creates the record when there is none: 201 with Location', async () => {
    const answer = await upsert('new', { Name: 'New' })
    expect(answer.status).to.equal(201)
    expect(answer.data).to.include({ Name: 'New', ExternalId: 'new', Status: 'Prospect' })
    expect(answer.headers.get('ETag')).to.equal('"1"')
    expect(answer.headers.get('Location')).to.equal(`/api/v1/tenant/${answer.data.Id}`)
    expect(await withValue('new')).to.deep.equal([answer.data])
  })

  it('changes the record when there is one: 200', async () => {
    const { data: before } = await upsert('known', { Name: 'Known', City: 'Delft' })
    const answer = await upsert('known', { Name: 'Better known' })
    expect([answer.status, answer.headers.get('ETag'), answer.headers.get('Location')]).to.deep.equal([
      200,
      '"2"',
      null,
    ])
    expect(answer.data).to.deep.equal({
      ...before,
      Name: 'Better known',
      ModifiedAt: answer.data['ModifiedAt'],
    })
  })

  it('answers 200, not 201, when it brings nothing new', async () => {
    const first = await upsert('same', { Name: 'Same' })
    const again = await upsert('same', { Name: 'Same' })
    expect([first.status, again.status]).to.deep.equal([201, 200])
    expect([again.headers.get('ETag'), again.headers.get('Location')]).to.deep.equal(['"1"', null])
    expect(again.data).to.deep.equal(first.data)
  })

  it('takes any value that the field takes, percent-encoded', async () => {
    for (const value of ['a/b', 'a%2Fb', '100 %', 'Zoë 😀', '...', '?x=1#y', "it's", 'batch', '00']) {
      const created = await upsert(value, { Name: 'Odd value' })
      expect([created.status, created.data['ExternalId']], value).to.deep.equal([201, value])
      expect((await upsert(value, { Name: 'Odder value' })).status, value).to.equal(200)
    }
  })

  it('takes the value of a number field in digits', async () => {
    const put = (value: string) => service.put(`gadget/by/Serial/${value}`, { Name: 'Numbered' })
    expect((await put('42')).data).to.include({ Serial: 42 })
    expect((await put('42')).status).to.equal(200)
    expect((await put('-7')).data).to.include({ Serial: -7 })
    for (const value of ['4.2', 'x', '1e2', '99999999999999999999', '0x10', '%20'])
      expect((await put(value)).status, value).to.equal(400)
  })

  it('may repeat the value in the body, but not contradict it', async () => {
    expect((await upsert('repeated', { Name: 'R', ExternalId: 'repeated' })).status).to.equal(201)
    const answer = await upsert('repeated', { Name: 'R', ExternalId: 'another' })
    expect([answer.status, answer.error.Details.map(({ Field }) => Field)]).to.deep.equal([
      400,
      ['ExternalId'],
    ])
    expect((await upsert('repeated', { ExternalId: null })).status).to.equal(400)
  })

  it('is refused as a create or a change would be', async () => {
    expect((await upsert('incomplete', {})).faults).to.deep.equal(['Name: is required'])
    expect(await withValue('incomplete')).to.deep.equal([])
    expect((await upsert('wrong', { Name: 1 })).status).to.equal(400)
    for (const body of ['[]', 'null', '"x"']) expect((await upsert('wrong', body)).status, body).to.equal(400)
    await upsert('complete', { Name: 'Complete' })
    expect((await upsert('complete', { Name: null })).faults).to.deep.equal(['Name: is required'])
  })

  it('answers 409 when another unique field of the body is taken', async () => {
    await service.create('gadget', { Name: 'Holder', Code: 'held' })
    const answer = await service.put('gadget/by/Serial/77', { Name: 'Wants', Code: 'held' })
    expect([answer.status, answer.error.Code]).to.deep.equal([409, 'CONFLICT'])
    expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['Code'])
    expect((await service.put('gadget/by/Serial/77', { Name: 'Wants', Code: 'free' })).status).to.equal(201)
  })

  it('is there only for unique fields', async () => {
    for (const field of ['Name', 'Nope', 'externalid', 'Id', '__proto__', 'constructor', 'CreatedAt']) {
      const answer = await service.put(`tenant/by/${field}/x`, { Name: 'x' })
      expect([answer.status, answer.error.Code], field).to.deep.equal([404, 'NOT_FOUND'])
    }
    expect((await service.put('contract/by/ContractNumber/CON-2026-0001', {})).status).to.equal(404)
    expect((await service.put('nope/by/ExternalId/x', {})).status).to.equal(404)
    const long = await service.put(`tenant/by/${'x'.repeat(2_000)}/x`, {})
    expect(long.error.Message).to.equal(`tenant has no unique field ${'x'.repeat(100)} to write by`)
  })

  it('is taken only by PUT', async () => {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const sent = method.startsWith('P') ? { body: { Name: 'x' } } : {}
      const answer = await service.send(method, 'tenant/by/ExternalId/x', sent)
      expect([answer.status, answer.headers.get('Allow')], method).to.deep.equal([405, 'PUT, OPTIONS'])
    }
  })

  it('creates anew when the record that had the value is deleted', async () => {
    const first = await upsert('reborn', { Name: 'First' })
    await service.delete(`tenant/${first.data.Id}`)
    const second = await upsert('reborn', { Name: 'Second' })
    expect(second.status).to.equal(201)
    expect(second.data['Id']).not.to.equal(first.data['Id'])
    expect((await service.post(`tenant/${first.data.Id}/restore`)).status).to.equal(409)
  })

  describe('with If-None-Match: *', () => {
    const onlyNew = { 'If-None-Match': '*' }

    it('creates what is not there, and leaves alone what is', async () => {
      expect((await upsert('only new', { Name: 'First' }, onlyNew)).status).to.equal(201)
      const second = await upsert('only new', { Name: 'Second' }, onlyNew)
      expect([second.status, second.error.Code]).to.deep.equal([412, 'CONFLICT'])
      expect(second.error.Message).to.equal('another tenant has this ExternalId')
      expect((await withValue('only new')).map(({ Name }) => Name)).to.deep.equal(['First'])
    })

    it('creates one record for all who send it at once', async () => {
      const sent = Array.from({ length: 12 }, (_, n) => upsert('raced', { Name: `Racer ${n}` }, onlyNew))
      const statuses = (await Promise.all(sent)).map(({ status }) => status)
      expect(statuses.sort()).to.deep.equal([201, ...Array<number>(11).fill(412)])
    })

    it('is not taken with a version: that is for reads', async () => {
      const answer = await upsert('only new', { Name: 'Third' }, { 'If-None-Match': '"1"' })
      expect([answer.status, answer.faults]).to.deep.equal([
        400,
        ['If-None-Match: must be * here: create it, if it is not there'],
      ])
    })
  })

  describe('with If-Match', () => {
    it('changes the version that is named, and no other', async () => {
      await upsert('versioned', { Name: 'One' })
      expect((await upsert('versioned', { Name: 'Two' }, { 'If-Match': '"1"' })).status).to.equal(200)
      const late = await upsert('versioned', { Name: 'Three' }, { 'If-Match': '"1"' })
      expect([late.status, late.error.Code]).to.deep.equal([412, 'CONFLICT'])
      expect((await upsert('versioned', { Name: 'Four' }, { 'If-Match': '*' })).status).to.equal(200)
    })

    it('creates nothing: the version that is meant is not there', async () => {
      for (const header of ['"1"', '*']) {
        const answer = await upsert('never', { Name: 'Never' }, { 'If-Match': header })
        expect([answer.status, answer.error.Code], header).to.deep.equal([412, 'CONFLICT'])
      }
      expect(await withValue('never')).to.deep.equal([])
    })
  })

  it('makes one record of one value, however many send it at once', async () => {
    for (let round = 0; round < 5; round++) {
      const value = `race ${round}`
      const answers = await Promise.all(
        Array.from({ length: 32 }, (_, i) => upsert(value, { Name: `by ${i}`, City: 'Delft' })),
      )
      expect(answers.filter(({ status }) => status === 201)).to.have.length(1)
      expect(answers.filter(({ status }) => status === 200)).to.have.length(31)
      const records: readonly Fields[] = await withValue(value)
      expect(records).to.have.length(1)
      expect(new Set(answers.map(({ data }) => data['Id']))).to.deep.equal(new Set([records[0]?.['Id']]))
    }
  })

  describe('afterwards', () => {
    it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
  })
})
