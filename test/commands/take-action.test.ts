import { expect } from 'chai'
import { Conflict, Forbidden, Invalid, NotFound, PreconditionFailed } from '../../src/domain/errors.ts'
import type { Fields } from '../../src/domain/json.ts'
import { memoryLog } from '../support/memory-event-store.ts'
import { act, create, faultsOf, given, happened, record, update } from '../support/given.ts'
import { COMPANY, key, manualClock, newKey, writeSide } from '../support/write-side.ts'

const lease = key('contract', 1)
const draft = happened(lease, 'contract.created', { Status: 'Draft' })
const by = (actor: string) => ({ metadata: { actor } })
const submitted = (actor = 'user-1') => ({
  ...happened(lease, 'contract.workflow.submitted', { Status: 'PendingApproval' }),
  ...by(actor),
})
const job = key('job', 1)
const jobIn = (Status: string, more: Fields = {}) =>
  happened(job, 'job.created', { Title: 'x', Status, ...more })

describe('a workflow action', () => {
  it('moves the record on, by an event named for what was done', async () => {
    await given(draft)
      .when(act(lease, 'submit'))
      .then(happened(lease, 'contract.workflow.submitted', { Status: 'PendingApproval' }))
    await given(draft, submitted('user-2'))
      .when(act(lease, 'approve'))
      .then(happened(lease, 'contract.workflow.approved', { Status: 'Active' }))
  })

  it('happens also where the state stays', () =>
    given(jobIn('Open'))
      .when(act(job, 'note'))
      .then(happened(job, 'job.workflow.noted', { Status: 'Open' })))

  it('keeps its comment as the reason, before any other reason, and its name as the command', async () => {
    const side = writeSide()
    const commented = { comment: 'agreed', reason: 'other' }
    await given(draft)
      .when(act(lease, 'submit', commented), side)
      .then(happened(lease, 'contract.workflow.submitted', { Status: 'PendingApproval' }))
    await act(lease, 'recall', { reason: 'other' })(side.write)
    const told = (await side.events.read(COMPANY, lease)).slice(1)
    expect(told.map(({ metadata, reason }) => [metadata.command, reason])).to.deep.equal([
      ['workflow:submit', 'agreed'],
      ['workflow:recall', 'other'],
    ])
  })

  it('is refused in another state, which is named with what can be done instead', async () => {
    await given(draft)
      .when(act(lease, 'approve'))
      .thenRefused(Conflict, 'Status: is Draft; approve needs PendingApproval; actions from Draft: submit')
    await given(happened(lease, 'contract.created', { Status: 'Active' }))
      .when(act(lease, 'submit'))
      .thenRefused(Conflict, 'Status: is Active; submit needs Draft; it has no action')
  })

  it('is refused when there is no such action, object or record', async () => {
    await given(draft).when(act(lease, 'sell')).thenRefused(NotFound)
    await given(happened(key('tenant', 1), 'tenant.created', { Name: 'Ann' }))
      .when(act(key('tenant', 1), 'submit'))
      .thenRefused(NotFound)
    await given().when(act(lease, 'submit')).thenRefused(NotFound)
    await given(draft, happened(lease, 'contract.deleted')).when(act(lease, 'submit')).thenRefused(NotFound)
  })

  it('is for the version that was read, if one is named', async () => {
    await given(draft)
      .when(act(lease, 'submit', { expected: [1] }))
      .then(happened(lease, 'contract.workflow.submitted', { Status: 'PendingApproval' }))
    await given(draft, happened(lease, 'contract.updated', { Notes: 'x' }))
      .when(act(lease, 'submit', { expected: [1] }))
      .thenRefused(
        PreconditionFailed,
        'Notes: was changed by user-1 at 2026-03-01T09:30:00Z (contract.updated, version 2)',
      )
  })

  it('sets the fields that the definition says, the moment among them', () =>
    given(jobIn('Started', { Cost: { Amount: 5, Currency: 'EUR' }, From: '2026-01-01' }))
      .when(
        act(job, 'finish', { roles: ['owner'] }),
        writeSide({ clock: manualClock('2026-03-01T23:59:59.999Z') }),
      )
      .then(
        happened(job, 'job.workflow.finished', {
          Status: 'Done',
          Cost: null,
          Until: '2026-03-01',
          DoneAt: '2026-03-01T23:59:59Z',
        }),
        happened(job, 'job.completed'),
      ))

  it('is refused when what it sets would break a rule of the record', () =>
    given(jobIn('Started', { From: '2026-04-01' }))
      .when(act(job, 'finish', { roles: ['owner'] }))
      .thenRefused(Invalid, 'Until: must not be before From'))
})

describe('who may take an action', () => {
  it('is anyone with one of its roles, where it names some', async () => {
    await given(jobIn('Started')).when(act(job, 'finish')).thenRefused(Forbidden)
    await given(jobIn('Started'))
      .when(act(job, 'finish', { roles: ['viewer'] }))
      .thenRefused(Forbidden)
    await given(jobIn('Started'))
      .when(act(job, 'finish', { roles: ['viewer', 'foreman'] }))
      .then(
        happened(job, 'job.workflow.finished', {
          Status: 'Done',
          Cost: null,
          Until: '2026-03-01',
          DoneAt: '2026-03-01T09:30:00Z',
        }),
        happened(job, 'job.completed'),
      )
  })

  it('does not depend on the state: who lacks the role is not told of it', () =>
    given(jobIn('Dropped')).when(act(job, 'finish')).thenRefused(Forbidden))

  it('is not whoever submitted it, for an approval', async () => {
    await given(draft, submitted('user-1')).when(act(lease, 'approve')).thenRefused(Forbidden)
    await given(draft, submitted('user-2'), {
      ...happened(lease, 'contract.updated', { Notes: 'x' }),
      ...by('user-1'),
    })
      .when(act(lease, 'approve'))
      .then(happened(lease, 'contract.workflow.approved', { Status: 'Active' }))
  })

  it('is told by the last submission, not an earlier one', () =>
    given(
      draft,
      submitted('user-1'),
      { ...happened(lease, 'contract.workflow.recalled', { Status: 'Draft' }), ...by('user-1') },
      submitted('user-2'),
    )
      .when(act(lease, 'approve'))
      .then(happened(lease, 'contract.workflow.approved', { Status: 'Active' })))

  it('is not the same person with a token, nor one token after another of the same person', async () => {
    await given(draft, submitted('user-1'))
      .when(act(lease, 'approve', { actor: 'token-1', person: 'user-1' }))
      .thenRefused(Forbidden)
    const byToken = { ...submitted('token-1'), metadata: { actor: 'token-1', onBehalfOf: 'user-1' } }
    for (const by of [{ actor: 'token-2', person: 'user-1' }, { actor: 'user-1' }])
      await given(draft, byToken)
        .when(act(lease, 'approve', by))
        .thenRefused(Forbidden)
    await given(draft, byToken)
      .when(act(lease, 'approve', { actor: 'token-2', person: 'user-2' }))
      .then(happened(lease, 'contract.workflow.approved', { Status: 'Active' }))
  })

  it('is not whoever wrote the state directly either', () =>
    given(draft, happened(lease, 'contract.updated', { Status: 'PendingApproval' }))
      .when(act(lease, 'approve'))
      .thenRefused(Forbidden))

  it('is whoever the definition says, where it says so', async () => {
    await given(jobIn('Done'))
      .when(act(job, 'approve'))
      .then(happened(job, 'job.workflow.approved', { Status: 'Done' }))
    await given(jobIn('Done')).when(act(job, 'check')).thenRefused(Forbidden)
    await given(jobIn('Done'))
      .when(act(job, 'check', { actor: 'user-2' }))
      .then(happened(job, 'job.workflow.checked', { Status: 'Done' }))
  })

  it('is everyone for other actions, their own submission or not', () =>
    given(draft, submitted('user-1'))
      .when(act(lease, 'recall'))
      .then(happened(lease, 'contract.workflow.recalled', { Status: 'Draft' })))
})

describe('a comment', () => {
  it('is needed where the definition asks for one', async () => {
    for (const comment of [undefined, '', ' \n'])
      await given(jobIn('Open'))
        .when(act(job, 'drop', comment === undefined ? {} : { comment }))
        .thenRefused(Invalid, 'Comment: is required: drop needs a reason')
    await given(jobIn('Open'))
      .when(act(job, 'drop', { comment: 'no' }))
      .then(happened(job, 'job.workflow.dropped', { Status: 'Dropped' }))
  })
})

describe('the condition of an action', () => {
  const bea = happened(key('tenant', 1), 'tenant.created', { Name: 'Bea' })
  const ann = (IsActive: boolean, Guarantor?: string) =>
    happened(key('tenant', 2), 'tenant.created', { Name: 'Ann', IsActive, ...(Guarantor && { Guarantor }) })
  const open = jobIn('Open', { Tenant: key('tenant', 2) })
  const started = happened(job, 'job.workflow.started', { Status: 'Started' })

  it('looks at the record and, over its lookups, at others as they are now', () =>
    given(bea, ann(true, key('tenant', 1)), open)
      .when(act(job, 'start'))
      .then(started))

  it('holds the action back when it is not fulfilled: a conflict, which names it', async () => {
    const message =
      "Status: start needs a record for which this is true: Tenant/IsActive eq true and contains(Tenant/Guarantor/Name, 'bea')"
    for (const facts of [
      [bea, ann(false, key('tenant', 1)), open],
      [bea, ann(true), open],
      [bea, ann(true, key('tenant', 1)), happened(key('tenant', 1), 'tenant.updated', { Name: 'Zoë' }), open],
      [jobIn('Open')],
    ])
      await given(...facts)
        .when(act(job, 'start'))
        .thenRefused(Conflict, message)
  })
})

describe('a state that is written directly', () => {
  it('is an ordinary update, and no action', () =>
    given(draft, submitted())
      .when(update(lease, { Status: 'Active' }))
      .then(happened(lease, 'contract.updated', { Status: 'Active' })))

  it('is refused where the workflow is strict, unless it stays', async () => {
    await given(jobIn('Open'))
      .when(update(job, { Status: 'Done' }))
      .thenRefused(Invalid, 'Status: changes by actions only: POST /api/v1/job/{key}/workflow/{action}')
    await given(jobIn('Open'))
      .when(update(job, { Status: 'Open', Title: 'y' }))
      .then(happened(job, 'job.updated', { Title: 'y' }))
  })

  it('begins where the workflow begins, or in a state of entry; an import may name any', async () => {
    const made = newKey('job')
    const createIn = (Status: string, importing = false) =>
      create('job', { Title: 'x', Status }, { importing })
    await given()
      .when(create('job', { Title: 'x' }))
      .then(happened(made, 'job.created', { Title: 'x', Status: 'Open' }))
    for (const state of ['Open', 'Started'])
      await given()
        .when(createIn(state))
        .then(happened(made, 'job.created', { Title: 'x', Status: state }))
    await given().when(createIn('Done')).thenRefused(Invalid, 'Status: must be Open or Started in a new job')
    await given()
      .when(createIn('Done', true))
      .then(happened(made, 'job.created', { Title: 'x', Status: 'Done' }), happened(made, 'job.completed'))
  })
})

describe('a named event', () => {
  const cost = (Amount: number) => ({ Cost: { Amount, Currency: 'EUR' } })

  it('happens with the write that makes its condition true, and changes nothing', async () => {
    const made = newKey('job')
    await given()
      .when(create('job', { Title: 'x', ...cost(2_000) }))
      .then(
        happened(made, 'job.created', { Title: 'x', Status: 'Open', ...cost(2_000) }),
        happened(made, 'job.expensive'),
      )
    const written = await given(jobIn('Open', cost(1)))
      .when(update(job, cost(1_001)))
      .then(happened(job, 'job.updated', cost(1_001)), happened(job, 'job.expensive'))
    expect([written.state.version, written.created]).to.deep.equal([3, false])
    expect(written.state.fields).to.deep.equal({ Title: 'x', Status: 'Open', ...cost(1_001) })
  })

  it('does not happen while the condition stays true, or false', async () => {
    await given(jobIn('Open', cost(2_000)))
      .when(update(job, cost(3_000)))
      .then(happened(job, 'job.updated', cost(3_000)))
    await given(jobIn('Open', cost(2_000)))
      .when(update(job, cost(1_000)))
      .then(happened(job, 'job.updated', cost(1_000)))
  })

  it('is part of the same append: what is repeated finds both', async () => {
    const log = memoryLog()
    await record(writeSide({ log }).events, [jobIn('Open')])
    const asking = { command: '5b3f1c1e-0000-5000-8000-000000000001', repeatedFrom: 0 }
    const first = await update(job, cost(2_000), asking)(writeSide({ log }).write)
    const again = await update(job, cost(2_000), asking)(writeSide({ log, process: 2 }).write)
    expect(log.all()).to.have.length(3)
    expect(again).to.deep.equal(first)
    expect(first.state.version).to.equal(3)
  })
})

describe('two approvals at once', () => {
  it('are one event; the other is a conflict, also between processes', async () => {
    for (const processes of [1, 2]) {
      const log = memoryLog()
      const sides = Array.from({ length: processes }, (_, index) =>
        writeSide({ log, process: index + 1, onlyWriter: processes === 1 }),
      )
      await record(sides[0]!.events, [draft, submitted('user-9')])
      const outcomes = await Promise.allSettled(
        [1, 2, 3, 4].map((n) => act(lease, 'approve', { actor: `user-${n}` })(sides[n % processes]!.write)),
      )
      const refused = outcomes.filter(({ status }) => status === 'rejected')
      expect(refused).to.have.length(3)
      for (const outcome of refused)
        expect(faultsOf(outcome, Conflict)).to.deep.equal([
          'Status: is Active; approve needs PendingApproval; it has no action',
        ])
      expect(log.all().filter(({ type }) => type === 'contract.workflow.approved')).to.have.length(1)
    }
  })
})
