/** Uploads of templates as a client of the specification writes them: the bytes of the request, with the names and tags seen there. */
import { expect } from 'chai'
import { testService, type TestService } from '../support/service.ts'

const REQUESTS = {
  'contract-renewal-reminder': {
    area: 'leasing',
    body: `{
  "template": {
    "name": "Contract Renewal Reminder",
    "trigger": "contract-renewal-reminder",
    "subject": "Contract {{ContractNumber}} ends on {{EndDate}}",
    "body": "<p>Dear {{Tenant.Name}},</p><p>Your contract {{ContractNumber}} for unit {{Unit.Number}} in {{Building.Name}} ends on {{EndDate}}.</p>"
  }
}`,
  },
  'service-request-created': {
    area: 'facility-management',
    body: `{
  "template": {
    "name": "Service Request Created",
    "trigger": "service-request-created",
    "subject": "New service request in {{Building.Name}}",
    "body": "<p>Dear {{Tenant.Name}},</p><p>we have your request for {{Unit.Number}}.</p>"
  }
}`,
  },
  'workflow-task-create': {
    area: 'workflow',
    body: `{
  "template": {
    "name": "Workflow Task",
    "trigger": "workflow-task-create",
    "subject": "A task awaits you",
    "body": "<p>A new task is waiting.</p>"
  }
}`,
  },
}

interface Uploaded {
  readonly Success: boolean
  readonly Data: { readonly template: Readonly<Record<string, unknown>> }
}

describe('an upload of a template as specified', () => {
  let service: TestService
  let apiKey: string
  before(async () => {
    service = await testService()
    const made = await service.post('identity/tokens', { Name: 'mails', Roles: ['notification_manager'] })
    apiKey = made.data['Token'] as string
  })
  after(() => service.discard())

  for (const [trigger, { area, body }] of Object.entries(REQUESTS))
    it(`is answered 201: ${trigger}`, async () => {
      const answer = await fetch(`${service.notificationUrl}/templates`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        body,
      })
      const text = await answer.text()
      expect(answer.status, text).to.equal(201)
      const { Success, Data } = JSON.parse(text) as Uploaded
      expect(Success).to.equal(true)
      const sent = (JSON.parse(body) as { template: Readonly<Record<string, unknown>> }).template
      expect(Data.template).to.include({ ...sent, area, version: 1 })
    })
})
