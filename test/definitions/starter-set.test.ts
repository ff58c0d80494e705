import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadDefinitions } from '../../src/definitions/load.ts'
import { fieldOf } from '../../src/domain/definition.ts'
import { eventNamesOf } from '../../src/domain/events/event-names.ts'

const folder = fileURLToPath(new URL('../../definitions', import.meta.url))

describe('the objects that are shipped', () => {
  const definitions = loadDefinitions([folder])
  const contract = definitions.get('contract')!

  it('are those of a property company', () => {
    const names: Record<string, string[]> = {}
    for (const { application, name } of definitions.values()) (names[application] ??= []).push(name)
    expect(names).to.deep.equal({
      Documents: ['Document'],
      FacilityManagement: ['Sensor', 'SensorReading', 'ServiceRequest', 'WorkOrder'],
      Finance: ['Account', 'BankAccount', 'BankStatement', 'BankTransaction', 'Invoice', 'Payment'],
      HumanResources: ['Employee'],
      Leasing: ['Building', 'Contract', 'Tenant', 'Unit'],
      Marketing: ['CampaignContact', 'Lead'],
    })
  })

  it('are explained, object by object and field by field', () => {
    for (const { name, description, fields } of definitions.values()) {
      expect(description, name).to.be.a('string')
      for (const field of fields) expect(field.description, `${name}.${field.name}`).to.be.a('string')
    }
  })

  it('tell editors their schema first', () => {
    for (const { application, object } of definitions.values())
      expect(readFileSync(join(folder, application, `${object}.json`), 'utf8')).to.match(
        /^\{\n {2}"\$schema": "\.\.\/definition\.schema\.json",\n/,
      )
  })

  it('are all read: no file is passed over', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.json') && !/^(integrations|triggers)\//.test(name),
    )
    const beside = [
      'definition.schema.json',
      'integration.schema.json',
      'roles.json',
      'roles.schema.json',
      'trigger.schema.json',
    ]
    expect(files)
      .to.include.members(beside)
      .and.to.have.length(definitions.size + beside.length)
  })

  it('have the contract of the interface', () => {
    expect(contract.fields.map(({ name, type }) => `${name} ${type}`)).to.deep.equal([
      'ContractNumber text',
      'Tenant lookup',
      'Building lookup',
      'Unit lookup',
      'MonthlyRent money',
      'StartDate date',
      'EndDate date',
      'Duration integer',
      'LeaseType choice',
      'Status choice',
      'Notes longtext',
    ])
    expect(contract.fields.filter(({ required }) => required).map(({ name }) => name)).to.deep.equal([
      'MonthlyRent',
      'StartDate',
    ])
    expect(contract.numbering).to.deep.equal({
      field: 'ContractNumber',
      pattern: 'CON-{year}-{sequence}',
      digits: 4,
    })
    expect(fieldOf(contract, 'StartDate')).to.include({ afterTodayOnCreate: true })
    expect(fieldOf(contract, 'EndDate')).to.deep.include({
      derived: { from: 'StartDate', months: 'Duration' },
      notBefore: 'StartDate',
    })
    expect(fieldOf(contract, 'Duration')).to.include({ unit: 'months' })
    expect(fieldOf(contract, 'LeaseType')?.choices).to.deep.equal(['New', 'Renewal', 'Extension', 'Transfer'])
    expect(fieldOf(contract, 'LeaseType')?.strict).to.be.undefined
    const { transitions = [], ...states } = contract.workflow!
    expect(states).to.deep.equal({
      field: 'Status',
      initial: 'Draft',
      states: ['Draft', 'PendingApproval', 'Active', 'Rejected', 'Expired', 'Terminated', 'Cancelled'],
    })
    expect(transitions.map(({ action, from, to }) => `${action}: ${from.join(', ')} -> ${to}`)).to.deep.equal(
      [
        'submit: Draft -> PendingApproval',
        'approve: PendingApproval -> Active',
        'reject: PendingApproval -> Rejected',
        'recall: PendingApproval -> Draft',
        'revise: Rejected -> Draft',
        'cancel: Draft, PendingApproval, Rejected -> Cancelled',
        'terminate: Active -> Terminated',
        'expire: Active -> Expired',
        'renew: Active, Expired -> Active',
      ],
    )
  })

  it('show what the interface shows of records looked up', () => {
    const display = (object: string) => definitions.get(object)?.display
    expect([display('tenant'), display('building'), display('unit')]).to.deep.equal([
      'Name',
      'Name',
      'Number',
    ])
  })

  it('have the events of the interface', () => {
    const names = [...definitions.values()].flatMap(eventNamesOf)
    expect(names).to.include.members([
      'contract.created',
      'contract.updated',
      'contract.workflow.approved',
      'payment.received',
      'workorder.completed',
    ])
    expect(new Set(names).size).to.equal(names.length)
  })

  it('name their workflow events by past participles', () => {
    const names = [...definitions.values()].flatMap((definition) =>
      (definition.workflow?.transitions ?? []).map(({ done }) => done),
    )
    expect([...new Set(names)].sort()).to.deep.equal([
      'acknowledged',
      'approved',
      'assigned',
      'cancelled',
      'closed',
      'completed',
      'contacted',
      'dunned',
      'expired',
      'failed',
      'held',
      'initiated',
      'invited',
      'issued',
      'lost',
      'offered',
      'paid',
      'partpaid',
      'recalled',
      'received',
      'refunded',
      'rejected',
      'renewed',
      'reopened',
      'resolved',
      'resumed',
      'revised',
      'started',
      'submitted',
      'terminated',
      'won',
      'writtenoff',
    ])
  })

  it('let two tenants and two buildings have the same name, and two tenants the same e-mail address', () => {
    for (const [object, name] of [
      ['tenant', 'Name'],
      ['tenant', 'Email'],
      ['building', 'Name'],
    ] as const)
      expect(fieldOf(definitions.get(object)!, name)?.unique, `${object}.${name}`).to.be.undefined
  })
})
