/** Workflow actions as clients see them (docs/workflow.md). */
import { expect } from 'chai'
import { POSITION_TOKEN } from '../../../src/api/http/position-tokens.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { client, testService, type Client, type TestService } from '../../support/service.ts'
import { definitionsFolder } from '../../system/support/gadget.ts'
import { contractBody, TIMESTAMP } from '../../system/support/leasing.ts'
import { makeToken } from '../identity/identity-support.ts'

const permit = {
  object: 'permit',
  name: 'Permit',
  application: 'Leasing',
  display: 'Title',
  fields: [
    { name: 'Title', type: 'text', required: true },
    { name: 'Tenant', type: 'lookup', target: 'tenant' },
    { name: 'Status', type: 'choice', choices: ['Asked', 'Granted', 'Denied'], strict: true },
    { name: 'GrantedOn', type: 'date' },
  ],
  workflow: {
    field: 'Status',
    initial: 'Asked',
    states: ['Asked', 'Granted', 'Denied'],
    strictStatus: true,
    transitions: [
      {
        action: 'approve',
        done: 'approved',
        from: ['Asked'],
        to: 'Granted',
        selfApproval: true,
        condition: "Tenant/Status eq 'Active'",
        set: { GrantedOn: 'today' },
      },
      { action: 'deny', done: 'denied', from: ['Asked'], to: 'Denied', requiresComment: true },
      { action: 'reopen', done: 'reopened', from: ['Denied'], to: 'Asked', roles: ['judge'] },
    ],
  },
  events: [{ name: 'permit.decided', when: "Status ne 'Asked'" }],
}

describe('workflow actions', () => {
  const folder = definitionsFolder(permit)
  let service: TestService
  /** As good as the service's own client, and someone else. */
  let other: Client

  before(async () => {
    service = await testService({ settings: { DEFINITIONS_DIR: folder.path } })
    other = await newClient('system_admin')
  })
  after(async () => {
    await service.discard()
    folder.remove()
  })

  const newClient = async (role: string) => {
    const { value } = await makeToken(service, [role])
    return client(() => service.url, value)
  }
  const newContract = async () => `contract/${(await service.create('contract', contractBody())).Id}`
  const newPermit = async (body = {}) =>
    `permit/${(await service.create('permit', { Title: 'x', ...body })).Id}`
  const typesOf = (path: string) => service.eventsOf(path.split('/')[1]!).map(({ type }) => type)
  /** Status and Code of a refusal. */
  const refusal = async (path: string, body?: unknown, headers = {}) => {
    const { status, error } = await service.post(path, body, headers)
    return [status, error.Code]
  }

  describe('that are taken', () => {
    it('answer with the whole record, at its new version, as the next read shows it', async () => {
      const path = await newContract()
      const answer = await service.post(`${path}/workflow/submit`)
      expect([answer.status, answer.headers.get('ETag')]).to.deep.equal([200, '"2"'])
      expect(answer.headers.get('Daybook-Position')).to.match(POSITION_TOKEN)
      expect(answer.data).to.include({ Status: 'PendingApproval' })
      const read = await service.get(path)
      expect([read.text, read.headers.get('ETag')]).to.deep.equal([answer.text, '"2"'])
      expect(service.eventsOf(answer.data.Id).at(-1)).to.deep.include({
        type: 'contract.workflow.submitted',
        data: { Status: 'PendingApproval' },
      })
    })

    it('take no body, an empty one, or a comment that is kept', async () => {
      for (const [body, comment] of [
        [undefined, undefined],
        ['', undefined],
        [{}, undefined],
        [{ Comment: null }, undefined],
        [{ Comment: ' ' }, undefined],
        [{ Comment: 'agreed "é" 😀' }, 'agreed "é" 😀'],
        [{ Comment: 'x'.repeat(1_000) }, 'x'.repeat(1_000)],
      ] as const) {
        const path = await newContract()
        const answer = await service.post(`${path}/workflow/submit`, body)
        expect(answer.status, answer.text).to.equal(200)
        expect(service.eventsOf(answer.data.Id).at(-1)?.reason).to.equal(comment)
      }
    })

    it('keep Daybook-Reason where there is no comment', async () => {
      const path = await newContract()
      const { data } = await service.post(`${path}/workflow/submit`, undefined, {
        'Daybook-Reason': 'signed',
      })
      expect(service.eventsOf(data.Id).at(-1)?.reason).to.equal('signed')
    })

    it('with an Idempotency-Key are taken once, and answered alike', async () => {
      const path = await newContract()
      const submit = (body?: unknown) =>
        service.post(`${path}/workflow/submit`, body, { 'Idempotency-Key': path })
      const [first, again] = [await submit(), await submit()]
      expect([again.status, again.text]).to.deep.equal([200, first.text])
      expect(again.headers.get('Idempotency-Replayed')).to.equal('true')
      expect((await submit({ Comment: 'other' })).status).to.equal(409)
      expect(typesOf(path)).to.deep.equal(['contract.created', 'contract.workflow.submitted'])
    })

    it('are for the version that If-Match names', async () => {
      const path = await newContract()
      await service.patch(path, { Notes: 'changed' })
      const late = await service.post(`${path}/workflow/submit`, undefined, { 'If-Match': '"1"' })
      expect([late.status, late.error.Code]).to.deep.equal([412, 'CONFLICT'])
      expect(late.error.Details.map(({ Field }) => Field)).to.deep.equal(['Notes'])
      expect(
        (await service.post(`${path}/workflow/submit`, undefined, { 'If-Match': '"2"' })).status,
      ).to.equal(200)
    })

    it('set what the definition says, and cause its named events', async () => {
      const { Id: Tenant } = await service.create('tenant', { Name: 'Ann', Status: 'Active' })
      const path = await newPermit({ Tenant })
      const today = () => new Date().toISOString().slice(0, 10)
      const before = today()
      const answer = await service.post(`${path}/workflow/approve`)
      expect(answer.data).to.include({ Status: 'Granted' })
      expect([before, today()]).to.include(answer.data['GrantedOn'])
      // The named event is a version of its own; every reader is at it.
      expect(answer.headers.get('ETag')).to.equal('"3"')
      expect((await service.get(path)).headers.get('ETag')).to.equal('"3"')
      expect(typesOf(path)).to.deep.equal(['permit.created', 'permit.workflow.approved', 'permit.decided'])
      expect((await service.list('permit', { filter: "Status eq 'Granted'" })).list).to.deep.equal([
        answer.data,
      ])
    })
  })

  describe('that need someone else', () => {
    it('are approved by another than whoever submitted: 200, and told as such', async () => {
      const path = await newContract()
      await service.post(`${path}/workflow/submit`)
      const open = async (who: Client) => {
        const { Actions } = (await who.get(`${path}/workflow`)).data as unknown as {
          Actions: { Action: string }[]
        }
        return Actions.map(({ Action }) => Action)
      }
      expect([await open(service), await open(other)]).to.deep.equal([
        ['reject', 'recall', 'cancel'],
        ['approve', 'reject', 'recall', 'cancel'],
      ])
      expect(await refusal(`${path}/workflow/approve`)).to.deep.equal([403, 'FORBIDDEN'])
      const answer = await other.post(`${path}/workflow/approve`, { Comment: 'As agreed with the owner' })
      expect([answer.status, answer.data['Status']]).to.deep.equal([200, 'Active'])
      const event = service.eventsOf(answer.data.Id).at(-1)!
      expect([event.type, event.data]).to.deep.equal(['contract.workflow.approved', { Status: 'Active' }])
      expect([event.reason, event.metadata['command']]).to.deep.equal([
        'As agreed with the owner',
        'workflow:approve',
      ])
      const { History } = (await service.get(`${path}/workflow`)).data as unknown as { History: Fields[] }
      expect(History.at(-1)?.['By']).to.include({ Id: event.metadata['actor'] })
      expect((await service.get(`${path}/history`)).list.at(-1)).to.deep.include({
        Event: 'contract.workflow.approved',
        Reason: 'As agreed with the owner',
        Changes: { Status: { From: 'PendingApproval', To: 'Active' } },
      })
    })

    it('are approved once, however many try at the same moment', async () => {
      const path = await newContract()
      await service.post(`${path}/workflow/submit`)
      const answers = await Promise.all(
        Array.from({ length: 16 }, () => other.post(`${path}/workflow/approve`)),
      )
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).to.deep.equal([200, ...Array<number>(15).fill(409)])
      expect(typesOf(path).filter((type) => type === 'contract.workflow.approved')).to.have.length(1)
    })

    it('are not granted to everyone: 403 without the grant, whatever the state', async () => {
      const path = await newContract()
      const viewer = await newClient('viewer')
      for (const action of ['submit', 'approve', 'nope'])
        expect((await viewer.post(`${path}/workflow/${action}`)).status, action).to.equal(403)
      expect(typesOf(path)).to.deep.equal(['contract.created'])
    })
  })

  describe('that are refused', () => {
    it('in another state: 409, which names the state and what can be done', async () => {
      const path = await newContract()
      const answer = await service.post(`${path}/workflow/approve`)
      expect([answer.status, answer.error.Code]).to.deep.equal([409, 'CONFLICT'])
      expect(answer.faults).to.deep.equal([
        'Status: is Draft; approve needs PendingApproval; actions from Draft: submit, cancel',
      ])
      expect(typesOf(path)).to.deep.equal(['contract.created'])
    })

    it('for an approval of one’s own: 403', async () => {
      const path = await newContract()
      await service.post(`${path}/workflow/submit`)
      expect(await refusal(`${path}/workflow/approve`)).to.deep.equal([403, 'FORBIDDEN'])
      expect((await service.get(path)).data['Status']).to.equal('PendingApproval')
    })

    it('without the role that may: 403', async () => {
      const path = await newPermit()
      await service.post(`${path}/workflow/deny`, { Comment: 'no' })
      expect(await refusal(`${path}/workflow/reopen`)).to.deep.equal([403, 'FORBIDDEN'])
    })

    it('when the condition is not fulfilled: 409', async () => {
      const path = await newPermit()
      expect(await refusal(`${path}/workflow/approve`)).to.deep.equal([409, 'CONFLICT'])
    })

    it('without the comment that is needed: 400', async () => {
      const answer = await service.post(`${await newPermit()}/workflow/deny`, { Comment: ' ' })
      expect([answer.status, answer.faults]).to.deep.equal([
        400,
        ['Comment: is required: deny needs a reason'],
      ])
    })

    it('when there is no such action, workflow, record or object: 404', async () => {
      const path = await newContract()
      const tenant = await service.create('tenant', { Name: 'Ann' })
      await service.delete(path)
      for (const to of [
        `${await newContract()}/workflow/sell`,
        `${await newContract()}/workflow/constructor`,
        `${path}/workflow/submit`,
        `tenant/${tenant.Id}/workflow/submit`,
        `contract/contract-${'0'.repeat(26)}/workflow/submit`,
        `contract/${tenant.Id}/workflow/submit`,
        'nope/nope-1/workflow/submit',
      ])
        expect(await refusal(to), to).to.deep.equal([404, 'NOT_FOUND'])
      for (const to of [`tenant/${tenant.Id}/workflow`, `${path}/workflow`, 'nope/nope-1/workflow'])
        expect((await service.get(to)).status, to).to.equal(404)
    })

    it('with a body that is none: 400, naming what is wrong', async () => {
      const path = await newContract()
      for (const [body, Field] of [
        [{ Comment: 5 }, 'Comment'],
        [{ Comment: ['x'] }, 'Comment'],
        [{ Comment: 'x'.repeat(1_001) }, 'Comment'],
        [{ Comment: 'a\0b' }, 'Comment'],
        ['{"Comment":"\\ud800"}', 'Comment'],
        [{ comment: 'x' }, 'comment'],
        [{ Comment: 'x', Status: 'Active' }, 'Status'],
        ['{"__proto__":{"Comment":"x"}}', '__proto__'],
        [[], ''],
        ['"x"', ''],
        ['null', ''],
      ] as const) {
        const answer = await service.post(`${path}/workflow/submit`, body)
        expect(answer.status, JSON.stringify(body)).to.equal(400)
        expect(answer.error.Details.map((detail) => detail.Field)).to.deep.equal([Field])
      }
      expect((await service.post(`${path}/workflow/submit?x=1`)).status).to.equal(400)
      expect(typesOf(path)).to.deep.equal(['contract.created'])
    })

    it('without a token: 401', async () => {
      const path = await newContract()
      const Authorization = 'Bearer no'
      expect(await refusal(`${path}/workflow/submit`, {}, { Authorization })).to.deep.equal([
        401,
        'UNAUTHORIZED',
      ])
      expect((await service.get(`${path}/workflow`, { Authorization })).status).to.equal(401)
    })

    it('by another method: 405', async () => {
      const path = await newContract()
      const allowed = async (method: string, to: string) => {
        const answer = await service.send(method, to, method === 'GET' ? {} : { body: {} })
        return [answer.status, answer.headers.get('Allow')]
      }
      expect(await allowed('GET', `${path}/workflow/submit`)).to.deep.equal([405, 'POST, OPTIONS'])
      expect(await allowed('POST', `${path}/workflow`)).to.deep.equal([405, 'GET, HEAD, OPTIONS'])
    })
  })

  describe('and the state written directly', () => {
    it('on create: only that in which records begin, unless they are brought in', async () => {
      for (const Status of ['Active', 'PendingApproval']) {
        const answer = await service.post('contract', contractBody({ Status }))
        expect([answer.status, answer.faults]).to.deep.equal([
          400,
          ['Status: must be Draft in a new contract'],
        ])
      }
      expect((await service.create('contract', contractBody({ Status: 'Draft' })))['Status']).to.equal(
        'Draft',
      )
      const Records = [contractBody({ Status: 'Active' })]
      const [row] = (await service.post('contract/batch', { Records })).list
      expect(row?.['Status']).to.equal(400)
      const [brought] = (await service.post('contract/batch', { Records, AllowPastDates: true })).list
      expect((await service.get(`contract/${brought!.Id}`)).data['Status']).to.equal('Active')
    })

    it('by PUT or PATCH: an ordinary update, never an action', async () => {
      const path = await newContract()
      await service.post(`${path}/workflow/submit`)
      for (const method of ['put', 'patch'] as const) {
        expect((await service[method](path, { Status: 'Active' })).data['Status']).to.equal('Active')
        await service[method](path, { Status: 'PendingApproval' })
      }
      expect(typesOf(path)).to.deep.equal([
        'contract.created',
        'contract.workflow.submitted',
        ...Array<string>(4).fill('contract.updated'),
      ])
      expect((await service.put(path, { Status: 'Signed' })).status).to.equal(400)
      expect((await service.put(path, { Status: null })).status).to.equal(400)
    })

    it('where the workflow is strict: 400, unless it stays', async () => {
      const path = await newPermit()
      const answer = await service.patch(path, { Status: 'Granted' })
      expect([answer.status, answer.error.Details.map(({ Field }) => Field)]).to.deep.equal([400, ['Status']])
      expect((await service.put(path, { Status: 'Asked', Title: 'y' })).data).to.include({ Title: 'y' })
    })
  })

  describe('tell by GET', () => {
    it('the state, what this caller may do now, and how it came to be', async () => {
      const path = await newContract()
      await service.post(`${path}/workflow/submit`, { Comment: 'signed by both' })
      await service.patch(path, { Status: 'Draft', Notes: 'x' }, { 'Daybook-Reason': 'not yet' })
      await service.patch(path, { Notes: 'y' })
      await service.post(`${path}/workflow/submit`)
      const answer = await service.get(`${path}/workflow`)
      expect([answer.status, answer.headers.get('ETag')]).to.deep.equal([200, '"5"'])
      const { State, Actions, History } = answer.data as unknown as {
        State: string
        Actions: object[]
        History: { At: string; By: unknown }[]
      }
      expect(State).to.equal('PendingApproval')
      const action = (Action: string, To: string, done: string) => ({
        Action,
        From: 'PendingApproval',
        To,
        Event: `contract.workflow.${done}`,
        RequiresComment: false,
      })
      // Not approve: this caller has submitted it.
      expect(Actions).to.deep.equal([
        action('reject', 'Rejected', 'rejected'),
        action('recall', 'Draft', 'recalled'),
        action('cancel', 'Cancelled', 'cancelled'),
      ])
      for (const { At, By } of History) {
        expect(At).to.match(TIMESTAMP)
        expect(By)
          .to.include({ Name: 'bootstrap' })
          .and.to.have.property('Id')
          .that.matches(/^token-/)
      }
      const submitted = {
        Action: 'submit',
        Event: 'contract.workflow.submitted',
        From: 'Draft',
        To: 'PendingApproval',
      }
      expect(History.map(({ At: _at, By: _by, ...rest }) => rest)).to.deep.equal([
        { Action: null, Event: 'contract.created', From: null, To: 'Draft', Comment: null },
        { ...submitted, Comment: 'signed by both' },
        { Action: null, Event: 'contract.updated', From: 'PendingApproval', To: 'Draft', Comment: 'not yet' },
        { ...submitted, Comment: null },
      ])
    })

    it('only actions whose condition and roles are fulfilled', async () => {
      const { Id: Tenant } = await service.create('tenant', { Name: 'Ann', Status: 'Former' })
      const path = await newPermit({ Tenant })
      const actions = async () => {
        const { Actions } = (await service.get(`${path}/workflow`)).data as unknown as {
          Actions: { Action: string; RequiresComment: boolean }[]
        }
        return Actions.map(({ Action, RequiresComment }) => `${Action} ${RequiresComment}`)
      }
      expect(await actions()).to.deep.equal(['deny true'])
      await service.patch(`tenant/${Tenant}`, { Status: 'Active' })
      expect(await actions()).to.deep.equal(['approve false', 'deny true'])
      await service.post(`${path}/workflow/deny`, { Comment: 'no' })
      expect(await actions()).to.deep.equal([])
    })
  })

  it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
})
