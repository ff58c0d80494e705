/** `Idempotency-Key`: a write that is sent again is done once and answered alike. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { testService, type Answer, type TestService } from '../../support/service.ts'
import { contractBody } from '../../system/support/leasing.ts'

describe('a write with an Idempotency-Key', () => {
  let service: TestService
  let key: string

  before(async () => {
    service = await testService()
  })
  beforeEach(() => {
    key = `key-${randomUUID()}`
  })
  after(() => service.discard())

  const keyed = (more: Record<string, string> = {}) => ({ 'Idempotency-Key': key, ...more })
  const replayed = ({ headers }: Answer) => headers.get('Idempotency-Replayed')
  const total = async (object: string) => (await service.list(object)).pagination.TotalRecords

  const expectSame = (again: Answer, first: Answer) => {
    expect([again.status, again.text]).to.deep.equal([first.status, first.text])
    for (const name of ['ETag', 'Location', 'Daybook-Position', 'Content-Type'])
      expect(again.headers.get(name), name).to.equal(first.headers.get(name))
    expect(replayed(first)).to.equal(null)
    expect(replayed(again)).to.equal('true')
  }

  /** Each kind of write, once and again: what it does is done once. */
  const writes: { readonly [name: string]: (path: string) => () => Promise<Answer> } = {
    create: () => () => service.post('contract', contractBody(), keyed()),
    PATCH: (path) => () => service.patch(path, { Notes: 'patched' }, keyed()),
    PUT: (path) => () => service.put(path, { Notes: 'put' }, keyed()),
    delete: (path) => () => service.delete(path, keyed()),
    batch: () => () =>
      service.post('contract/batch', { Records: [contractBody(), { Nope: 1 }, contractBody()] }, keyed()),
    upsert: () => () => service.put(`tenant/by/ExternalId/${key}`, { Name: 'Upserted' }, keyed()),
  }

  for (const [name, write] of Object.entries(writes))
    describe(`(${name})`, () => {
      let send: () => Promise<Answer>
      beforeEach(async () => {
        const { Id } = await service.create('contract', contractBody())
        send = write(`contract/${Id}`)
      })

      it('is answered again as the first time', async () => {
        const first = await send()
        expect(first.status, first.text).to.be.oneOf([200, 201])
        const before = [await total('contract'), await total('tenant')]
        expectSame(await send(), first)
        expectSame(await send(), first)
        expect([await total('contract'), await total('tenant')]).to.deep.equal(before)
      })

      it('is done once when it is sent sixteen times at once', async () => {
        const answers = await Promise.all(Array.from({ length: 16 }, send))
        expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).to.have.property('size', 1)
        expect(answers.filter((answer) => replayed(answer) === null)).to.have.length(1)
      })

      it('is answered again after a restart', async () => {
        const first = await send()
        await service.restart()
        expectSame(await send(), first)
      })
    })

  it('(restore) is answered again as the first time', async () => {
    const { Id } = await service.create('contract', contractBody())
    await service.delete(`contract/${Id}`)
    const send = () => service.post(`contract/${Id}/restore`, undefined, keyed())
    const first = await send()
    expectSame(await send(), first)
  })

  it('answers the first time’s record, whatever has become of it', async () => {
    const first = await service.post('contract', contractBody(), keyed())
    const path = `contract/${first.data.Id}`
    await service.patch(path, { Notes: 'changed since' })
    expectSame(await service.post('contract', contractBody(), keyed()), first)
    await service.delete(path)
    expectSame(await service.post('contract', contractBody(), keyed()), first)
    expect((await service.get(path)).status).to.equal(404)
  })

  it('takes one number of the sequence', async () => {
    const first = await service.post('contract', contractBody(), keyed())
    await service.post('contract', contractBody(), keyed())
    const next = await service.create('contract', contractBody())
    const sequenceOf = (number: unknown) => Number(String(number).split('-')[2])
    expect(sequenceOf(next['ContractNumber'])).to.be.greaterThan(sequenceOf(first.data['ContractNumber']))
    const events = service.eventsOf(first.data.Id)
    expect(events).to.have.length(1)
  })

  it('is refused with 409 when the key was used for anything else', async () => {
    const { Id } = await service.create('contract', contractBody())
    await service.post('contract', contractBody({ Notes: 'first' }), keyed())
    const others = [
      service.post('contract', contractBody({ Notes: 'second' }), keyed()),
      service.post('tenant', contractBody({ Notes: 'first' }), keyed()),
      service.patch(`contract/${Id}`, contractBody({ Notes: 'first' }), keyed()),
      service.put(`contract/${Id}`, contractBody({ Notes: 'first' }), keyed()),
      service.delete(`contract/${Id}`, keyed()),
      service.post('contract', JSON.stringify(contractBody({ Notes: 'first' })) + ' ', keyed()),
    ]
    for (const answer of await Promise.all(others)) {
      expect([answer.status, answer.error.Code]).to.deep.equal([409, 'CONFLICT'])
      expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['Idempotency-Key'])
    }
    expect((await service.get(`contract/${Id}`)).headers.get('ETag')).to.equal('"1"')
  })

  it('is refused with 409 when only its If-Match is another', async () => {
    const { Id } = await service.create('contract', contractBody())
    expect(
      (await service.patch(`contract/${Id}`, { Notes: 'x' }, keyed({ 'If-Match': '"1"' }))).status,
    ).to.equal(200)
    expect((await service.patch(`contract/${Id}`, { Notes: 'x' }, keyed())).status).to.equal(409)
  })

  it('may be sent again when it failed: nothing was done, and it is tried anew', async () => {
    const send = () => service.patch('tenant/by', {}, keyed())
    expect((await send()).status).to.equal(404)
    expect((await send()).status).to.equal(404)

    key = `key-${randomUUID()}`
    const { Id: taken } = await service.create('tenant', { Name: 'Holder', ExternalId: key })
    const create = () => service.post('tenant', { Name: 'Waiting', ExternalId: key }, keyed())
    expect((await create()).status).to.equal(409)
    await service.delete(`tenant/${taken}`)
    const created = await create()
    expect([created.status, replayed(created)]).to.deep.equal([201, null])
    expectSame(await create(), created)
  })

  it('is refused when the key is not 1 to 255 visible ASCII characters', async () => {
    for (const bad of ['', ' ', 'a b', 'é', 'a\tb', 'x'.repeat(256)]) {
      key = bad
      const answer = await service.post('contract', contractBody(), keyed())
      expect([answer.status, answer.error.Code], JSON.stringify(bad)).to.deep.equal([400, 'VALIDATION_ERROR'])
      expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['Idempotency-Key'])
    }
    for (const good of ['0', '!', '~'.repeat(255), '{"$ne":null}', '../../x']) {
      key = good
      expect((await service.post('contract', contractBody(), keyed())).status, good).to.equal(201)
    }
  })

  it('without effect has none the second time either', async () => {
    const { Id } = await service.create('contract', contractBody({ Notes: 'same' }))
    const send = () => service.patch(`contract/${Id}`, { Notes: 'same' }, keyed())
    const first = await send()
    expect(first.headers.get('ETag')).to.equal('"1"')
    await service.patch(`contract/${Id}`, { Notes: 'other' })
    expectSame(await send(), first)
    expect((await service.get(`contract/${Id}`)).data['Notes']).to.equal('other')
  })

  it('is answered like any other when its answer is too long to be kept', async () => {
    // Twice as many bytes as characters, and more bytes again when it is kept as text within an event.
    const wrong = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`${'語'.repeat(90)}${i}`, 1]))
    const Records = [{ Name: 'The one good row' }, ...Array.from({ length: 499 }, () => wrong)]
    const send = () => service.post('tenant/batch', { Records }, keyed())
    const first = await send()
    expect(first.status, first.text.slice(0, 200)).to.equal(200)
    expect(first.list[0]).to.include({ Index: 0, Status: 201 })
    const again = await send()
    expect([again.status, again.text === first.text]).to.deep.equal([200, true])
    expect((await service.list('tenant', { search: 'the one good row' })).pagination.TotalRecords).to.equal(1)
  })

  it('is answered like any other when its record is as large as a record may be', async () => {
    const Data = '"'.repeat(131_000)
    const body = { Name: 'Quotes', Tracking: { Data, More: '\\'.repeat(131_000) } }
    const send = () => service.post('lead', body, keyed())
    const first = await send()
    expect(first.status, first.text.slice(0, 200)).to.equal(201)
    const again = await send()
    expect([again.status, again.text === first.text]).to.deep.equal([201, true])
    expect(await total('lead')).to.equal(1)
  })
})
