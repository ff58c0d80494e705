/** Reading what was written, and why it was written: `Daybook-Position`, `Daybook-At-Least`, `Daybook-Reason`. */
import { expect } from 'chai'
import { POSITION_TOKEN } from '../../../src/api/http/position-tokens.ts'
import { positionsOf, type StorePositions } from '../../support/opened-positions.ts'
import { testService, textOf, type TestService } from '../../support/service.ts'
import { contractBody } from '../../system/support/leasing.ts'
import { logIn, withCookie } from '../identity/identity-support.ts'

describe('a write over HTTP', () => {
  let service: TestService
  let opened: StorePositions
  before(async () => {
    service = await testService({ settings: { READ_YOUR_WRITES_MS: '300' } })
    opened = positionsOf(service.dataDir)
  })
  after(() => service.discard())

  describe('and where it stands (Daybook-Position)', () => {
    it('is given a position that rises, whatever is written, and that says nothing', async () => {
      const first = await service.post('contract', contractBody())
      const path = `contract/${first.data.Id}`
      const answers = [
        first,
        await service.patch(path, { Notes: 'x' }),
        await service.put(path, { Notes: 'y' }),
        await service.delete(path),
        await service.post(`${path}/restore`),
        await service.post('tenant/batch', { Records: [{ Name: 'a' }, { Name: 'b' }] }),
        await service.put('tenant/by/ExternalId/position', { Name: 'c' }),
      ]
      const positions = answers.map(({ headers }) => headers.get('Daybook-Position') ?? '')
      for (const position of positions) expect(position).to.match(POSITION_TOKEN)
      const places = positions.map((position) => opened.read(position))
      expect(places).to.deep.equal(places.toSorted((one, other) => one - other))
      expect(new Set(places).size).to.equal(places.length)
      for (const { headers } of answers) expect(headers.get('Daybook-Read-Lag')).to.equal(null)
    })

    it('is read by any get and list that names it', async () => {
      const answer = await service.post('contract', contractBody())
      const atLeast = { 'Daybook-At-Least': answer.headers.get('Daybook-Position') ?? '' }
      const { Id } = answer.data
      expect((await service.get(`contract/${Id}`, atLeast)).data).to.deep.equal(answer.data)
      const { list } = await service.list('contract', { filter: `Id eq '${Id}'` }, atLeast)
      expect(list).to.deep.equal([answer.data])
    })
  })

  describe('and a read that asks for more (Daybook-At-Least)', () => {
    it('is answered at once when that is past', async () => {
      for (const position of [0, 1])
        expect(
          (await service.list('contract', {}, { 'Daybook-At-Least': opened.write(position) })).status,
        ).to.equal(200)
    })

    it('is answered 503 with Retry-After when that does not come in time', async () => {
      const { Id } = await service.create('contract', contractBody())
      for (const position of [999_999, Number.MAX_SAFE_INTEGER])
        for (const path of ['contract', `contract/${Id}`]) {
          const answer = await service.get(path, { 'Daybook-At-Least': opened.write(position) })
          expect([answer.status, answer.error.Code]).to.deep.equal([503, 'SERVER_ERROR'])
          expect(answer.error.Message).not.to.match(/\d/)
          expect(answer.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
        }
      // Any client can send this header: it must not fill the log.
      expect(service.logged.filter(({ level }) => level === 'error')).to.deep.equal([])
    })

    it('is answered as soon as that comes', async () => {
      const { headers } = await service.post('tenant', { Name: 'now' })
      const next = opened.write(opened.read(headers.get('Daybook-Position')!) + 1)
      const [read, written] = await Promise.all([
        service.list('tenant', { search: 'awaited' }, { 'Daybook-At-Least': next }),
        service.post('tenant', { Name: 'awaited' }),
      ])
      expect(written.headers.get('Daybook-Position')).to.equal(next)
      expect(read.list).to.deep.equal([written.data])
    })

    it('waits for all of several', async () => {
      const { headers } = await service.post('tenant', { Name: 'several' })
      const own = headers.get('Daybook-Position')!
      const later = opened.write(opened.read(own) + 1_000_000)
      const statusOf = async (position: string) =>
        (await service.get('tenant', { 'Daybook-At-Least': position })).status
      expect(await statusOf(`${own}, ${own}`)).to.equal(200)
      for (const both of [`${own},${later}`, `${later}, ${own}`]) expect(await statusOf(both)).to.equal(503)
    })

    it('is refused when it names no position', async () => {
      const { headers } = await service.post('tenant', { Name: 'twice' })
      const own = headers.get('Daybook-Position')!
      for (const bad of [
        '',
        'x',
        '18',
        '-1',
        '99999999999999999',
        `${own},`,
        `${own}, x`,
        `${own}A`,
        '0'.repeat(23),
      ])
        for (const path of ['contract', `contract/contract-${'0'.repeat(26)}`]) {
          const answer = await service.get(path, { 'Daybook-At-Least': bad })
          expect([answer.status, answer.error.Code], bad).to.deep.equal([400, 'VALIDATION_ERROR'])
          expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['Daybook-At-Least'])
        }
    })

    it('is refused with a plain number, as positions once were, and with what would be right', async () => {
      const answer = await service.get('contract', { 'Daybook-At-Least': '18' })
      expect(answer.faults).to.deep.equal([
        'Daybook-At-Least: is a plain number; send the Daybook-Position of an answer as it is, all 23 characters',
      ])
    })

    it('is refused with that of another company, or of another log', async () => {
      const other = await service.post('identity/companies', {
        Name: 'Other',
        AdminEmail: 'other@example.com',
        AdminPassword: 'a password for others',
      })
      const login = { Email: 'other@example.com', Password: 'a password for others' }
      const they = withCookie(await logIn(service, { ...login, CompanyKey: other.data.Id }))
      const written = await service.post('tenant', { Name: 'mine' })
      const mine = { 'Daybook-At-Least': written.headers.get('Daybook-Position')! }
      const theirs = await service.get('tenant', { ...mine, ...they })
      expect([theirs.status, theirs.error.Details[0]?.Field]).to.deep.equal([400, 'Daybook-At-Least'])

      const elsewhere = positionsOf(service.dataDir, 'another log').write(1)
      const answer = await service.get('tenant', { 'Daybook-At-Least': elsewhere })
      expect(answer.faults.join()).to.match(/^Daybook-At-Least: is of another store of events; /)
      // The operator who made the company may go on with what the answer says.
      expect(
        (await service.get('tenant', { 'Daybook-At-Least': other.headers.get('Daybook-Position')! })).status,
      ).to.equal(200)
    })
  })

  describe('and its reason (Daybook-Reason)', () => {
    const reasonsOf = (key: unknown) => service.eventsOf(String(key)).map(({ reason }) => reason)

    it('keeps it with each change, and nothing where none is given', async () => {
      const reason = (text: string) => ({ 'Daybook-Reason': text })
      const { data } = await service.post('contract', contractBody(), reason('first lease'))
      const path = `contract/${data.Id}`
      await service.patch(path, { Notes: 'a' }, reason('typing error'))
      await service.put(path, { Notes: 'b' })
      await service.delete(path, reason('entered twice'))
      await service.post(`${path}/restore`, undefined, reason('no, it was not'))
      expect(reasonsOf(data['Id'])).to.deep.equal([
        'first lease',
        'typing error',
        undefined,
        'entered twice',
        'no, it was not',
      ])
    })

    it('is kept with every row of a batch', async () => {
      const Records = [{ Name: 'a' }, { Name: 'b' }]
      const { list } = await service.post('tenant/batch', { Records }, { 'Daybook-Reason': 'moved in' })
      for (const { Id } of list) expect(reasonsOf(Id)).to.deep.equal(['moved in'])
    })

    it('is percent-encoded where it is not ASCII', async () => {
      for (const [sent, kept] of [
        [encodeURIComponent('Zoë’s wish: 100 % 😀'), 'Zoë’s wish: 100 % 😀'],
        ['100% sure', '100% sure'],
        ['50%', '50%'],
        ['two%0d%0aSet-Cookie: lines', 'two\r\nSet-Cookie: lines'],
      ] as const) {
        const { data, headers } = await service.post('tenant', { Name: 'r' }, { 'Daybook-Reason': sent })
        expect(reasonsOf(data['Id']), sent).to.deep.equal([kept])
        expect(headers.get('Set-Cookie')).to.equal(null)
      }
    })

    it('has at most 1,000 characters, however they are encoded', async () => {
      const create = (reason: string) =>
        service.post('tenant', { Name: 'r' }, { 'Daybook-Reason': encodeURIComponent(reason) })
      for (const most of ['a'.repeat(1_000), 'é'.repeat(1_000), '語'.repeat(1_000)]) {
        const answer = await create(most)
        expect(answer.status, `${most[0]}: ${answer.text.slice(0, 200)}`).to.equal(201)
        expect(reasonsOf(answer.data['Id'])).to.deep.equal([most])
      }
      for (const more of ['a'.repeat(1_001), '語'.repeat(1_001)]) {
        const answer = await create(more)
        expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['Daybook-Reason'])
      }
    })

    it('is refused with characters that cannot be stored', async () => {
      const answer = await service.post('tenant', { Name: 'r' }, { 'Daybook-Reason': 'a%00b' })
      expect([answer.status, answer.error.Details.map(({ Field }) => Field)]).to.deep.equal([
        400,
        ['Daybook-Reason'],
      ])
    })
  })

  describe('and who did it', () => {
    it('is kept with the event: actor, company, time and request', async () => {
      const { data, headers } = await service.post(
        'tenant',
        { Name: 'who' },
        { 'X-Request-Id': 'request-77' },
      )
      expect(headers.get('X-Request-Id')).to.equal('request-77')
      const [event, ...more] = service.eventsOf(data.Id)
      expect(more).to.deep.equal([])
      expect(event?.type).to.equal('tenant.created')
      expect(event?.data).to.deep.equal({ Name: 'who', Status: 'Prospect' })
      expect(event?.metadata).to.include({ command: 'create', $correlationId: 'request-77', schema: 1 })
      expect(event?.metadata['actor']).to.match(/^token-/)
      expect(event?.metadata['company']).to.match(/^company-/)
      expect(textOf(event?.metadata, 'at').slice(0, 19) + 'Z').to.equal(data['CreatedAt'])
    })
  })
})
