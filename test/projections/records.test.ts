import { expect } from 'chai'
import { withInternal } from '../../src/compose/parts/definitions.ts'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import { recordsProjection } from '../../src/projections/records.ts'
import { searchProjection } from '../../src/projections/search.ts'
import { newEvent, type GivenEvent } from '../support/events.ts'
import { COMPANY, definitions, key } from '../support/write-side.ts'

const [lease, ann] = [key('contract', 1), key('tenant', 1)]
const at = '2026-03-01T09:30:15.987Z'
const happened = (stream: string, type: string, given: GivenEvent = {}): RecordedEvent => ({
  ...newEvent({ type, data: {}, ...given, metadata: { at, ...given.metadata } }),
  stream,
  version: 7,
  position: 40,
})
const on = (stream: string) => ({
  company: COMPANY,
  object: stream.slice(0, stream.indexOf('-')),
  key: stream,
})

describe('the records projection', () => {
  const { name, needs, project } = recordsProjection(definitions)

  it('needs no other', () => expect([name, needs]).to.deep.equal(['records', []]))

  it('puts a record that is created', () => {
    const data = { Name: 'Ann', Score: 1 }
    expect(project(happened(ann, 'tenant.created', { data }))).to.deep.equal([
      { ...on(ann), op: 'put', version: 7, fields: data, createdAt: at, modifiedAt: at },
    ])
  })

  it('merges what any other event sets, workflow steps and named events included', () => {
    for (const type of ['contract.updated', 'contract.workflow.approved', 'contract.signed'])
      expect(project(happened(lease, type, { data: { Status: 'Active', Notes: null } }))).to.deep.equal([
        { ...on(lease), op: 'merge', version: 7, fields: { Status: 'Active', Notes: null }, modifiedAt: at },
      ])
  })

  it('moves the version on when an event sets nothing', () =>
    expect(project(happened(lease, 'contract.workflow.submitted'))).to.deep.equal([
      { ...on(lease), op: 'merge', version: 7, fields: {}, modifiedAt: at },
    ]))

  it('brings those up to date that show a record which is renamed, and only then', () => {
    const operations = (data: GivenEvent['data']) =>
      project(happened(ann, 'tenant.updated', data ? { data } : {})).map((operation) => operation.op)
    expect(operations({ Name: 'Bea' })).to.deep.equal(['merge', 'fanOut'])
    expect(operations({ Name: null })).to.deep.equal(['merge', 'fanOut'])
    expect(operations({ Score: 2 })).to.deep.equal(['merge'])
    expect(project(happened(ann, 'tenant.updated', { data: { Name: 'Bea' } }))[1]).to.deep.equal({
      ...on(ann),
      op: 'fanOut',
    })
  })

  it('keeps no row of a session, and no words of it', () => {
    const all = withInternal(definitions)
    const [stream, data] = [key('session', 1), { User: key('user', 1), Epoch: 0 }]
    for (const { project: projectAll } of [recordsProjection(all), searchProjection(all)])
      for (const event of [
        happened(stream, 'session.created', { data }),
        happened(stream, 'session.deleted'),
      ])
        expect(projectAll(event)).to.deep.equal([])
  })

  it('keeps secrets of the service out, and lists companies for operators', () => {
    const { project: projectAll } = recordsProjection(withInternal(definitions))
    const someone = key('user', 1)
    const data = { Name: 'Ann', PasswordHash: 'secret', SessionEpoch: 1 }
    for (const type of ['user.created', 'user.updated'])
      expect(projectAll(happened(someone, type, { data }))[0])
        .to.deep.include({ company: COMPANY })
        .and.to.have.property('fields')
        .that.deep.equals({ Name: 'Ann' })
    const firm = key('company', 1)
    expect(projectAll(happened(firm, 'company.created', { data: { Name: 'X' } }))[0]).to.include({
      company: 'daybook',
      key: firm,
    })
    const { project: searchAll } = searchProjection(withInternal(definitions))
    expect(searchAll(happened(firm, 'company.created', { data: { Name: 'X' } }))).to.deep.equal([
      { op: 'index', company: 'daybook', object: 'company', key: firm },
    ])
  })

  it('removes and restores', () => {
    expect(project(happened(ann, 'tenant.deleted'))).to.deep.equal([{ ...on(ann), op: 'remove', version: 7 }])
    expect(project(happened(ann, 'tenant.restored'))).to.deep.equal([
      { ...on(ann), op: 'restore', version: 7, modifiedAt: at },
    ])
  })

  it('names the company of the event', () =>
    expect(project(happened(ann, 'tenant.deleted', { company: 'company-2' }))[0]?.company).to.equal(
      'company-2',
    ))
})

describe('the search projection', () => {
  const { name, needs, project } = searchProjection(definitions)

  it('needs the records, whose documents it indexes', () =>
    expect([name, needs]).to.deep.equal(['search', ['records']]))

  it('indexes a record whose words may have changed', () => {
    const indexed: [type: string, data: GivenEvent['data']][] = [
      ['contract.created', {}],
      ['contract.deleted', {}],
      ['contract.restored', {}],
      ['contract.updated', { Notes: 'x' }],
      ['contract.updated', { Tenant: ann }],
      ['contract.workflow.approved', { Status: 'Active', Notes: null }],
    ]
    for (const [type, data] of indexed)
      expect(project(happened(lease, type, data ? { data } : {})), type).to.deep.equal([
        { ...on(lease), op: 'index' },
      ])
  })

  it('has nothing to do for fields that are not searched', () => {
    for (const data of [{ Status: 'Active' }, { Building: key('building', 1) }, { Duration: 1 }, {}])
      expect(project(happened(lease, 'contract.updated', { data }))).to.deep.equal([])
  })
})

describe('what projections pass over, and what they stop at', () => {
  const both = [recordsProjection(definitions), searchProjection(definitions)]

  it('passes over the bookkeeping of the service itself', () => {
    const streams = [
      'claim-0f4cbac6d47e25bd4bdab41993c294828ed2c971',
      'request-098b0bdba35820799f050d28c6b76a224de00f4c',
      'numbering-contract-2026-2e390908-1dbd-50f9-9b44-b3959a6d6f7b',
      'bootstrap',
      'secrets',
    ]
    for (const { project } of both)
      for (const stream of streams) expect(project(happened(stream, 'x.created')), stream).to.deep.equal([])
  })

  it('stops at a record of an object that is not defined: its definition may only be missing', () => {
    for (const { project } of both)
      expect(() => project(happened(key('vessel', 1), 'vessel.created'))).to.throw(
        `vessel.created of ${key('vessel', 1)}: there is no definition of the object vessel`,
      )
  })

  it('stops at data of a later shape than it understands', () => {
    const later = happened(lease, 'contract.updated', { metadata: { schema: 2 } })
    for (const { project } of both)
      expect(() => project(later)).to.throw('has shape 2; this version of the service reads up to 1')
  })
})
