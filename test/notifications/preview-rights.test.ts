/** A preview shows of each record what the caller may see of that one, also where it looks up another of its object. */
import { expect } from 'chai'
import { client, testService, type TestService } from '../support/service.ts'

describe('a preview', () => {
  let service: TestService
  before(async () => (service = await testService()))
  after(() => service.discard())

  it('shows of a record what may be seen of it, and not what may be seen of another', async () => {
    const api = client(() => service.notificationUrl)
    const template = {
      name: 'Credit',
      trigger: 'workflow-task-create',
      subject: '{{CreditedInvoice.Notes}}',
      body: '<p>{{CreditedInvoice.Notes}} {{Notes}}</p>',
    }
    const made = await api.post('/templates', { template })
    expect(made.status, made.text).to.equal(201)
    const TotalAmount = { Amount: 1, Currency: 'EUR' }
    const credited = await service.create('invoice', {
      InvoiceType: 'Deposit',
      TotalAmount,
      Notes: 'open to them',
    })
    const CreditedInvoice = credited.Id
    const own = await service.create('invoice', {
      InvoiceType: 'Rent',
      TotalAmount,
      Notes: 'secret',
      CreditedInvoice,
    })
    const read = { Object: 'invoice', Actions: ['read'] }
    const role = await service.post('identity/roles', {
      Name: 'some_invoices',
      Grants: [
        { ...read, Rows: "InvoiceType eq 'Rent'", ReadFields: ['InvoiceType', 'CreditedInvoice'] },
        { ...read, Rows: "InvoiceType eq 'Deposit'" },
        { Object: 'template', Actions: ['notify'] },
      ],
    })
    expect(role.status, role.text).to.equal(201)
    const token = await service.post('identity/tokens', { Name: 'some', Roles: ['some_invoices'] })
    const some = client(() => service.notificationUrl, token.data['Token'] as string)
    const id = (made.data['template'] as unknown as { readonly Id: string }).Id
    const shown = await some.post(`/templates/${id}/preview`, { record: own.Id })
    expect(shown.status, shown.text).to.equal(200)
    expect(shown.data['body']).to.include('open to them').and.not.to.include('secret')
    expect(shown.data['missing']).to.deep.equal(['Notes'])
  })
})
