/** What tests of accounting begin with: an integration that is started, and invoices that are issued. */
import { expect } from 'chai'
import type { Data, TestService } from '../../support/service.ts'

/** Its key. @param set as the API takes it */
export async function startedIntegration(service: TestService, set: object): Promise<string> {
  const made = await service.post('integrations', set)
  expect(made.status, made.text).to.equal(201)
  expect((await service.post(`integrations/${made.data.Id}/start`)).status).to.equal(200)
  return made.data.Id
}

/** For a month's rent, due at its end. @param tenant its Key */
export async function issuedInvoice(
  service: TestService,
  tenant: string,
  Amount: number,
  Currency = 'EUR',
): Promise<Data> {
  const invoice = await service.create('invoice', {
    Tenant: tenant,
    InvoiceType: 'Rent',
    IssueDate: '2030-01-01',
    DueDate: '2030-01-31',
    TotalAmount: { Amount, Currency },
    OpenAmount: { Amount, Currency },
  })
  expect((await service.post(`invoice/${invoice.Id}/workflow/issue`)).status).to.equal(200)
  return invoice
}
