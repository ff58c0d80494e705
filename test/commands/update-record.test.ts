import { expect } from 'chai'
import { Conflict, Invalid, NotFound, PreconditionFailed, TooLarge } from '../../src/domain/errors.ts'
import { faultsOf, given, happened, record, update, type Happened } from '../support/given.ts'
import { key, recordsIn, writeSide } from '../support/write-side.ts'
import { memoryLog, type Interference } from '../support/memory-event-store.ts'

const ann = key('tenant', 1)
const created = happened(ann, 'tenant.created', { Name: 'Ann', Score: 1 })
const lease = key('contract', 1)
const signed = happened(lease, 'contract.created', {
  MonthlyRent: { Amount: 1000, Currency: 'EUR' },
  StartDate: '2027-01-01',
  Duration: 12,
  EndDate: '2027-12-31',
  Status: 'Draft',
})

describe('update a record', () => {
  it('records the fields that are new, and no others', () =>
    given(created)
      .when(update(ann, { Name: 'Bea', Score: 1, Phone: '1' }))
      .then(happened(ann, 'tenant.updated', { Name: 'Bea', Phone: '1' })))

  it('records nothing when nothing is new, and answers where the last change is', async () => {
    const written = await given(created)
      .when(update(ann, { Name: 'Ann', Phone: null }))
      .thenNothing()
    expect([written.state.version, written.position]).to.deep.equal([1, 1])
  })

  it('records a cleared field as null', () =>
    given(created)
      .when(update(ann, { Score: null }))
      .then(happened(ann, 'tenant.updated', { Score: null })))

  it('replaces money by PUT and merges it by PATCH', async () => {
    const changed = (Amount: number, Currency: string) =>
      happened(lease, 'contract.updated', { MonthlyRent: { Amount, Currency } })
    await given(signed)
      .when(update(lease, { MonthlyRent: { Amount: 1100 } }))
      .then(changed(1100, 'EUR'))
    await given(signed)
      .when(update(lease, { MonthlyRent: { Amount: 1100 } }, { writing: 'replace' }))
      .thenRefused(Invalid, 'MonthlyRent: needs Currency, a code such as EUR')
    await given(signed)
      .when(update(lease, { MonthlyRent: { Amount: 1100, Currency: 'USD' } }, { writing: 'replace' }))
      .then(changed(1100, 'USD'))
  })

  it('takes fields that it does not name as they are, by PUT too', () =>
    given(created)
      .when(update(ann, { Phone: '1' }, { writing: 'replace' }))
      .then(happened(ann, 'tenant.updated', { Phone: '1' })))

  it('moves the end with the duration, and leaves an end that was chosen', async () => {
    await given(signed)
      .when(update(lease, { Duration: 24 }))
      .then(happened(lease, 'contract.updated', { Duration: 24, EndDate: '2028-12-31' }))
    await given(signed, happened(lease, 'contract.updated', { EndDate: '2027-06-30' }))
      .when(update(lease, { Duration: 24 }))
      .then(happened(lease, 'contract.updated', { Duration: 24 }))
  })

  it('writes Status directly, as an ordinary update, and no state that there is not', async () => {
    await given(signed)
      .when(update(lease, { Status: 'Active' }))
      .then(happened(lease, 'contract.updated', { Status: 'Active' }))
    await given(signed)
      .when(update(lease, { Status: 'Sold' }))
      .thenRefused(Invalid, 'Status: must be one of Draft, PendingApproval, Active')
  })

  it('takes a start date of the past: only a create looks ahead', () =>
    given(signed)
      .when(update(lease, { StartDate: '2026-01-01' }))
      .then(happened(lease, 'contract.updated', { StartDate: '2026-01-01', EndDate: '2026-12-31' })))

  it('names everything that is wrong and changes nothing', () =>
    given(signed)
      .when(update(lease, { MonthlyRent: null, EndDate: '2026-12-31', Duration: 0.5, Id: lease, Nights: 3 }))
      .thenRefused(
        Invalid,
        'Duration: must be an integer',
        'Id: is assigned by the service',
        'Nights: contract has no such field',
        'MonthlyRent: is required',
        'EndDate: must not be before StartDate',
      ))

  it('finds no record that was never created, is deleted, or is of another company', async () => {
    const change = update(ann, { Name: 'Bea' })
    await given().when(change).thenRefused(NotFound)
    await given(created, happened(ann, 'tenant.deleted')).when(change).thenRefused(NotFound)
    await given(created)
      .when(update(ann, { Name: 'Bea' }, { company: 'company-2' }))
      .thenRefused(NotFound)
  })

  it('holds the record to its size, counted with what it had', async () => {
    const half = 'x'.repeat(300_000)
    const full = happened(lease, 'contract.created', { ...signed.data, Terms: half })
    const notes = update(lease, { Terms: { Old: half, New: half } })
    await given(full).when(notes).thenRefused(TooLarge)
    await given(full)
      .when(update(lease, { Notes: 'é'.repeat(100_000) }))
      .then(happened(lease, 'contract.updated', { Notes: 'é'.repeat(100_000) }))
  })

  it('records by which method it was asked for', async () => {
    const side = writeSide()
    await record(side.events, [created])
    await update(ann, { Score: 2 })(side.write)
    await update(ann, { Score: 3 }, { writing: 'replace' })(side.write)
    expect(side.log.all(1).map(({ metadata }) => metadata.command)).to.deep.equal(['patch', 'put'])
  })
})

describe('updates of one record at once', () => {
  it('all count, one after the other, in one process', async () => {
    const side = writeSide()
    await record(side.events, [created])
    const phones = Array.from({ length: 64 }, (_, index) => String(index))
    const written = await Promise.all(phones.map((Phone) => update(ann, { Phone })(side.write)))
    expect(written.map(({ state }) => state.version)).to.deep.equal(phones.map((_, index) => index + 2))
    expect(written.map(({ state }) => state.fields['Phone'])).to.deep.equal(phones)
  })

  it('with the version that the clients know: one wins, the others are told who it was', async () => {
    const side = writeSide()
    await record(side.events, [created])
    const change = (index: number) =>
      update(ann, { Phone: String(index) }, { expected: [1], actor: `user-${index}` })(side.write)
    const race = await Promise.allSettled(Array.from({ length: 64 }, (_, index) => change(index)))
    const losers = race.filter(({ status }) => status === 'rejected')
    expect(losers).to.have.length(63)
    for (const loser of losers)
      expect(faultsOf(loser, PreconditionFailed)).to.deep.equal([
        'Phone: was changed by user-0 at 2026-03-01T09:30:00Z (tenant.updated, version 2)',
      ])
  })

  it('all count in two processes: the slower decides anew on what the faster wrote', async () => {
    const log = memoryLog()
    const processes = [1, 2].map((process) => writeSide({ log, process, onlyWriter: false }))
    await record(processes[0]!.events, [created])
    await Promise.all(
      processes.flatMap(({ write }, index) => [
        update(ann, { [index ? 'Phone' : 'Email']: 'a@example.com' })(write),
        update(ann, { [index ? 'Score' : 'Website']: index ? 7 : 'https://example.com' })(write),
      ]),
    )
    expect(recordsIn(log).get(ann)?.state).to.deep.include({
      version: 5,
      fields: {
        Name: 'Ann',
        Score: 7,
        Phone: 'a@example.com',
        Email: 'a@example.com',
        Website: 'https://example.com',
      },
    })
  })

  it('is decided on the newer state: what the other process has made invalid is refused', async () => {
    const log = memoryLog()
    const interference: Interference = {}
    const [mine, theirs] = [
      writeSide({ log, interference, onlyWriter: false }),
      writeSide({ log, process: 2, onlyWriter: false }),
    ]
    await record(mine.events, [signed])
    interference.before = async () => {
      delete interference.before
      await update(lease, { StartDate: '2029-01-01' })(theirs.write)
    }
    const [outcome] = await Promise.allSettled([update(lease, { EndDate: '2028-06-30' })(mine.write)])
    expect(faultsOf(outcome, Invalid)).to.deep.equal(['EndDate: must not be before StartDate'])
  })

  it('ends in a conflict when others are faster again and again', async () => {
    const log = memoryLog()
    const interference: Interference = {}
    const mine = writeSide({ log, interference, onlyWriter: false })
    const theirs = writeSide({ log, process: 2 })
    await record(theirs.events, [created])
    let faster = 0
    interference.before = async ({ stream }) => {
      const change: Happened = happened(ann, 'tenant.updated', { Score: 100 + ++faster })
      if (stream === ann) await record(theirs.events, [change])
    }
    const [outcome] = await Promise.allSettled([update(ann, { Name: 'Bea' })(mine.write)])
    faultsOf(outcome, Conflict)
    expect(faster).to.equal(8)
    expect(recordsIn(log).get(ann)?.state.fields['Name']).to.equal('Ann')
  })
})
