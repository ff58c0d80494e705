/** `GET /api/v1/waiting`: what others have submitted and the caller could approve now. */
import { expect } from 'chai'
import { testService, type Data, type HeaderValues, type TestService } from '../../support/service.ts'
import { contractBody } from '../../system/support/leasing.ts'
import { makeToken, withGrants, withToken } from '../identity/identity-support.ts'

describe('what waits for somebody', () => {
  let service: TestService
  let submitter: HeaderValues
  let approver: HeaderValues
  let first: Data
  before(async () => {
    service = await testService()
    submitter = withToken((await makeToken(service, ['editor', 'approver'])).value)
    approver = withToken((await makeToken(service, ['approver', 'viewer'])).value)
    first = await submitted('one')
    await submitted('two')
    await service.create('contract', contractBody({ Notes: 'a draft' }))
  })
  after(() => service.discard())

  const submitted = async (Notes: string) => {
    const record = await service.create('contract', contractBody({ Notes }))
    const answer = await service.post(
      `contract/${record.Id}/workflow/submit`,
      { Comment: `about ${Notes}` },
      submitter,
    )
    if (answer.status !== 200) throw new Error(answer.text)
    return record
  }
  const waiting = async (headers: HeaderValues, query = '') => {
    const answer = await service.get(`waiting${query}`, headers)
    expect(answer.status, answer.text).to.equal(200)
    return answer
  }

  it('is what others submitted, oldest first, with who, why and what can be done', async () => {
    const { list, json } = await waiting(approver)
    expect(list.map(({ Comment }) => Comment)).to.deep.equal(['about one', 'about two'])
    expect(json['HasMore']).to.equal(false)
    const [item] = list
    expect(item).to.deep.include({
      Object: 'contract',
      Record: { Id: first.Id, ContractNumber: first['ContractNumber'] },
      State: 'PendingApproval',
    })
    const actions = item!['Actions'] as unknown as { Action: string }[]
    expect(actions.map(({ Action }) => Action)).to.include.members(['approve', 'reject'])
  })

  it('is nothing of one’s own, and nothing for those who may not approve', async () => {
    expect((await waiting(submitter)).list).to.deep.equal([])
    const viewer = withToken((await makeToken(service, ['viewer'])).value)
    expect((await waiting(viewer)).list).to.deep.equal([])
  })

  it('is only what the grants show', async () => {
    const some = await withGrants(service, [
      { Object: 'contract', Actions: ['read', 'workflow:*'], Rows: "Notes eq 'two'" },
    ])
    expect((await waiting(some)).list.map(({ Comment }) => Comment)).to.deep.equal(['about two'])
    const blind = await withGrants(service, [
      { Object: 'contract', Actions: ['read'], ReadFields: ['Notes'] },
      { Object: 'contract', Actions: ['workflow:*'] },
    ])
    expect((await waiting(blind)).list).to.deep.equal([])
  })

  it('takes an object and a number, and says when there is more', async () => {
    const one = await waiting(approver, '?pageSize=1&object=contract')
    expect([one.list.length, one.json['HasMore']]).to.deep.equal([1, true])
    const refused = await service.get('waiting?object=tenant', approver)
    expect(refused.faults).to.deep.equal(['object: is not an object with a workflow'])
  })

  it('is gone once it was approved', async () => {
    const record = await submitted('three')
    await service.post(`contract/${record.Id}/workflow/approve`, undefined, approver)
    expect((await waiting(approver)).list.map(({ Comment }) => Comment)).not.to.include('about three')
  })
})
