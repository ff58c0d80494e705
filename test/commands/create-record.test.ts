import { expect } from 'chai'
import { createRecord } from '../../src/commands/create-record.ts'
import { definitionHash } from '../../src/commands/support/definition-hash.ts'
import { Invalid, TooLarge } from '../../src/domain/errors.ts'
import { create, given, happened } from '../support/given.ts'
import { definition, key, manualClock, newKey, writeSide } from '../support/write-side.ts'

const rent = { Amount: 1250.5, Currency: 'EUR' }
const lease = { MonthlyRent: rent, StartDate: '2027-01-01' }

describe('create a record', () => {
  it('records its fields with their defaults, as one event of a new stream', () =>
    given()
      .when(create('tenant', { Name: 'Ann' }))
      .then(happened(newKey('tenant'), 'tenant.created', { IsActive: true, Name: 'Ann' })))

  it('assigns number, first state and what is worked out', () =>
    given()
      .when(create('contract', { ...lease, Duration: 12 }))
      .then(
        happened(newKey('contract'), 'contract.created', {
          ...lease,
          Duration: 12,
          EndDate: '2027-12-31',
          Status: 'Draft',
          ContractNumber: 'CON-2026-0001',
        }),
      ))

  it('answers what the record has become, and where that is stored', async () => {
    const side = writeSide()
    const written = await create('tenant', { Name: 'Ann' })(side.write)
    const [event] = await side.events.read('company-1', newKey('tenant'))
    expect(written).to.deep.include({
      key: newKey('tenant'),
      state: {
        status: 'live',
        version: 1,
        position: 1,
        fields: event?.data,
        createdAt: '2026-03-01T09:30:00.000Z',
        modifiedAt: '2026-03-01T09:30:00.000Z',
      },
      position: event?.position,
    })
  })

  it('records who asked for it, when, by which request and why', async () => {
    const side = writeSide()
    await create(
      'tenant',
      { Name: 'Ann' },
      {
        actor: 'token-7',
        person: 'user-3',
        correlation: 'r-1',
        causation: 'import-1#7',
        source: 'import:1#7',
        reason: 'moved in',
      },
    )(side.write)
    const [event] = side.log.all()
    expect(event?.reason).to.equal('moved in')
    expect(event?.metadata).to.deep.equal({
      envelope: 2,
      company: 'company-1',
      actor: 'token-7',
      onBehalfOf: 'user-3',
      at: '2026-03-01T09:30:00.000Z',
      recordedAt: '2026-03-01T09:30:00.000Z',
      $correlationId: 'r-1',
      $causationId: 'import-1#7',
      command: 'create',
      source: 'import:1#7',
      definition: definitionHash(definition('tenant')),
      schema: 1,
    })
  })

  it('takes null for not given', () =>
    given()
      .when(create('contract', { ...lease, Duration: 1, EndDate: null, Notes: null }))
      .then(
        happened(newKey('contract'), 'contract.created', {
          ...lease,
          Duration: 1,
          EndDate: '2027-01-31',
          Status: 'Draft',
          ContractNumber: 'CON-2026-0001',
        }),
      ))

  it('names everything that is wrong, each field once', () =>
    given()
      .when(
        create('contract', {
          MonthlyRent: 1250.5,
          StartDate: '2026-03-01',
          EndDate: '2025-01-01',
          Status: 'Sold',
          Rent: rent,
          ContractNumber: 'CON-1',
        }),
      )
      .thenRefused(
        Invalid,
        'MonthlyRent: must be an object {Amount, Currency}',
        'Status: must be one of Draft, PendingApproval, Active',
        'Rent: contract has no such field; did you mean MonthlyRent?',
        'ContractNumber: is assigned by the service',
        'EndDate: must not be before StartDate',
        'StartDate: must be in the future (after 2026-03-01)',
      ))

  it('names what is missing', () =>
    given()
      .when(create('contract', {}))
      .thenRefused(Invalid, 'MonthlyRent: is required', 'StartDate: is required'))

  it('is asked for by an object', () =>
    given()
      .when(create('tenant', [{ Name: 'Ann' }]))
      .thenRefused(Invalid, ': must be a JSON object'))
})

describe('the start date of a create', () => {
  const at = (time: string) => writeSide({ clock: manualClock(time) })
  const starting = (StartDate: string, importing = false) =>
    create('contract', { MonthlyRent: rent, StartDate }, { importing })

  it('is later than today in UTC, to the last millisecond of the day', async () => {
    await given()
      .when(starting('2026-03-01'), at('2026-03-01T23:59:59.999Z'))
      .thenRefused(Invalid, 'StartDate: must be in the future (after 2026-03-01)')
    await given()
      .when(starting('2026-03-02'), at('2026-03-01T23:59:59.999Z'))
      .then(contractFrom('2026-03-02'))
    await given()
      .when(starting('2026-03-02'), at('2026-03-02T00:00:00.000Z'))
      .thenRefused(Invalid, 'StartDate: must be in the future (after 2026-03-02)')
  })

  it('may be long ago in an import', () =>
    given().when(starting('1999-12-31', true)).then(contractFrom('1999-12-31')))

  const contractFrom = (StartDate: string) =>
    happened(newKey('contract'), 'contract.created', {
      Status: 'Draft',
      MonthlyRent: rent,
      StartDate,
      ContractNumber: 'CON-2026-0001',
    })
})

describe('the size of a record', () => {
  const sized = (Terms: string) => ({ ...lease, Terms })
  const own = createRecord({ definition: definition('contract'), body: sized(''), today: undefined })
  const room = 524_288 - Buffer.byteLength(JSON.stringify(own.data))

  it('is at most 512 KiB of JSON', async () => {
    await given()
      .when(create('contract', sized('x'.repeat(room + 1))))
      .thenRefused(TooLarge)
    const written = await create('contract', sized('x'.repeat(room)))(writeSide().write)
    expect(written.state.fields['Terms']).to.have.length(room)
  })

  it('counts bytes: letters of two, and control characters that JSON writes with six', async () => {
    for (const [letter, bytes] of [
      ['é', 2],
      ['😀', 4],
      ['\u0001', 6],
      ['"', 2],
    ] as const) {
      const most = Math.floor(room / bytes)
      await create('contract', sized(letter.repeat(most)))(writeSide().write)
      await given()
        .when(create('contract', sized(letter.repeat(most + 1))))
        .thenRefused(TooLarge)
    }
  })

  it('is refused before anything is claimed or numbered', async () => {
    const side = writeSide()
    await given()
      .when(create('contract', { ...sized('x'.repeat(room)), Reference: 'R-1' }), side)
      .thenRefused(TooLarge)
    expect(side.log.all()).to.deep.equal([])
  })
})

describe('a key that the service makes up', () => {
  it('is never taken from the body', () =>
    given()
      .when(create('tenant', { Id: key('tenant', 1), Name: 'Ann' }))
      .thenRefused(Invalid, 'Id: is assigned by the service'))
})
