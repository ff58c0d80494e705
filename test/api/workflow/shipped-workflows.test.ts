/** What the workflows and named events of the objects that are shipped do. */
import { expect } from 'chai'
import { countsIn, imported } from '../../imports/import-support.ts'
import { testService, type TestService } from '../../support/service.ts'
import { TIMESTAMP } from '../../system/support/leasing.ts'

describe('workflows of the objects that are shipped', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  const typesOf = (path: string) => service.eventsOf(path.split('/')[1]!).map(({ type }) => type)
  /** Status and Code of a refusal. */
  const refusal = async (path: string) => {
    const { status, error } = await service.post(path)
    return [status, error.Code]
  }

  it('make known that a work order is completed, however it was', async () => {
    const acted = `workorder/${(await service.create('workorder', { Title: 'x' })).Id}`
    expect((await service.post(`${acted}/workflow/complete`)).data['CompletedAt']).to.match(TIMESTAMP)
    expect(typesOf(acted)).to.deep.equal([
      'workorder.created',
      'workorder.workflow.completed',
      'workorder.completed',
    ])
    const written = `workorder/${(await service.create('workorder', { Title: 'x' })).Id}`
    await service.patch(written, { Status: 'Completed' })
    await service.patch(written, { Resolution: 'x' })
    expect(typesOf(written)).to.deep.equal([
      'workorder.created',
      'workorder.updated',
      'workorder.completed',
      'workorder.updated',
    ])
  })

  it('make known that a payment is received, also when it is entered as such', async () => {
    const Amount = { Amount: 900, Currency: 'EUR' }
    const path = `payment/${(await service.create('payment', { Amount, Status: 'Received' })).Id}`
    expect(typesOf(path)).to.deep.equal(['payment.created', 'payment.received'])
    expect((await service.get(path)).headers.get('ETag')).to.equal('"2"')
  })

  it('note when a payment was received, also where its state is written', async () => {
    const Amount = { Amount: 900, Currency: 'EUR' }
    const entered = await service.create('payment', { Amount, Status: 'Received' })
    expect(entered['ReceivedAt']).to.match(TIMESTAMP)
    const expected = await service.create('payment', { Amount })
    expect(expected['ReceivedAt']).to.equal(null)
    const path = `payment/${expected.Id}`
    expect((await service.patch(path, { Status: 'Received' })).data['ReceivedAt']).to.match(TIMESTAMP)
    const [change] = (await service.get(`${path}/history`)).list.slice(-2)
    expect(Object.keys(change!['Changes'] as object)).to.have.members(['Status', 'ReceivedAt'])
  })

  it('leave the moment to those who say it, and to the record that has one', async () => {
    const Amount = { Amount: 900, Currency: 'EUR' }
    const ReceivedAt = '2020-01-02T03:04:05Z'
    const said = await service.create('payment', { Amount, Status: 'Received', ReceivedAt })
    expect(said['ReceivedAt']).to.equal(ReceivedAt)
    await service.patch(`payment/${said.Id}`, { Status: 'Failed' })
    const again = await service.patch(`payment/${said.Id}`, { Status: 'Received' })
    expect(again.data['ReceivedAt']).to.equal(ReceivedAt)
    const unknown = await service.create('payment', { Amount, Status: 'Received', ReceivedAt: null })
    expect(unknown['ReceivedAt']).to.equal(null)
  })

  it('leave it empty in imports, whose records are of any time', async () => {
    const file = 'GatewayReference,Amount.Amount,Amount.Currency,Status\nI-1,5,EUR,Received\n'
    const done = await imported(service, 'payment/import?commit=true', file)
    expect(countsIn(done)).to.include({ Created: 1 })
    const { list } = await service.list('payment', { filter: "GatewayReference eq 'I-1'" })
    expect(list[0]!['ReceivedAt']).to.equal(null)
  })

  it('let an invoice be written off only with a reason', async () => {
    const TotalAmount = { Amount: 900, Currency: 'EUR' }
    const path = `invoice/${(await service.create('invoice', { TotalAmount, Status: 'Issued' })).Id}`
    expect(await refusal(`${path}/workflow/writeoff`)).to.deep.equal([400, 'VALIDATION_ERROR'])
    expect(
      (await service.post(`${path}/workflow/writeoff`, { Comment: 'bankrupt' })).data['Status'],
    ).to.equal('WrittenOff')
  })

  it('let a work order be assigned only to someone', async () => {
    const path = `workorder/${(await service.create('workorder', { Title: 'x' })).Id}`
    expect(await refusal(`${path}/workflow/assign`)).to.deep.equal([409, 'CONFLICT'])
    await service.patch(path, { Contractor: 'Müller Aufzüge GmbH' })
    expect((await service.post(`${path}/workflow/assign`)).data['Status']).to.equal('Assigned')
  })

  it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
})
