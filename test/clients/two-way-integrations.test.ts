/** The TypeScript client: what an integration sends, what both sides have changed, and how far its polls and full syncs have come. */
import { expect } from 'chai'
import { Daybook, NotFound } from '../../clients/typescript/src/index.ts'
import { AT_ONCE } from '../integrations/dropped-answers.ts'
import { BOTH_WAYS } from '../integrations/support/both-ways.ts'
import { folderWith } from '../integrations/support/own-file.ts'
import { LOOPBACK, partner, type Partner } from '../integrations/support/partner.ts'
import { testService, TOKEN, type TestService } from '../support/service.ts'
import { eventually } from '../system/support/eventually.ts'

describe('integrations that go both ways, of the TypeScript client', () => {
  let other: Partner
  let service: TestService
  let daybook: Daybook
  let key: string
  let answer = 400
  before(async () => {
    other = await partner(({ method }) =>
      method === 'GET' ? { json: { people: [] } } : { status: answer, json: { id: 'person-1' } },
    )
    const settings = { DEFINITIONS_DIR: folderWith(BOTH_WAYS), ...LOOPBACK, ...AT_ONCE }
    service = await testService({ settings })
    daybook = new Daybook({ url: service.url, token: TOKEN })
    const Credentials = { token: 'a-long-token' }
    const set = { Definition: 'directory', BaseUrl: other.url, Credentials }
    key = (await daybook.integrations.create(set)).Id
    await daybook.integrations.start(key)
  })
  after(async () => {
    await service?.discard()
    await other?.stop()
  })

  const sentOf = (record: string) => daybook.integrations.sent(key, { record, from: '2020-01-01' })

  it('sends again what was refused', async () => {
    const { integrations } = daybook
    const { record } = await daybook['tenant']!.create({ Name: 'Ann', Phone: '1' })
    const refused = await eventually('it is refused', async () => {
      const [one] = await sentOf(record.Id).toArray({ limit: 2 })
      expect(one?.State).to.be.oneOf(['refused', 'failed'])
      return one!
    })
    answer = 200
    expect((await integrations.sendAgain(key, refused.Id)).State).to.equal('due')
    await eventually('it is sent', async () =>
      expect((await integrations.sent(key, { state: 'sent' }).toArray({ limit: 2 })).length).to.equal(1),
    )
  })

  it('says which value holds where both sides have changed a field', async () => {
    const { integrations } = daybook
    const [record] = await daybook['tenant']!.list().toArray({ limit: 1 })
    answer = 503
    await daybook['tenant']!.update(record!.Id, { Phone: '2' })
    const headers = { Authorization: 'Bearer a-long-token' }
    const body = { id: 'person-1', name: 'Ann', phone: '3' }
    await service.send('POST', `in/${key}/people`, { body, headers })
    const conflict = await eventually('both have changed it', async () => {
      const [one] = await integrations.conflicts(key).toArray({ limit: 2 })
      expect(one?.Records[0]?.Fields).to.deep.equal([{ Field: 'Phone', Ours: '2', Theirs: '3' }])
      return one!
    })
    answer = 200
    const resolved = await integrations.resolve(key, conflict.Id, { Phone: 'theirs' })
    expect(resolved).to.include({ Id: conflict.Id, State: 'applied' })
    expect((await daybook['tenant']!.get(record!.Id)).record['Phone']).to.equal('3')
  })

  it('asks for a full sync, and follows it', async () => {
    const { integrations } = daybook
    const [poll] = await integrations.polls(key).toArray({ limit: 2 })
    expect(poll).to.include({ Entry: 'changes', EverySeconds: 3_600 })
    const none = await integrations.fullSync(key).catch((error: unknown) => error)
    expect(none).to.be.instanceOf(NotFound)
    const asked = await integrations.syncInFull(key)
    await eventually('it is done', async () => {
      const { AskedAt, State } = await integrations.fullSync(key)
      expect([AskedAt, State]).to.deep.equal([asked.AskedAt, 'done'])
    })
  })
})
