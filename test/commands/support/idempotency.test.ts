import { expect } from 'chai'
import type { Caller } from '../../../src/commands/command.ts'
import type { RecordedAnswer } from '../../../src/commands/support/idempotency.ts'
import { Conflict, Invalid, NotFound, TooLarge, Unavailable } from '../../../src/domain/errors.ts'
import type { Fields } from '../../../src/domain/json.ts'
import type { Append } from '../../../src/ports/event-store.ts'
import { faultsOf, happened, record, update } from '../../support/given.ts'
import { memoryLog, type Interference } from '../../support/memory-event-store.ts'
import { COMPANY, definition, key, manualClock, writeSide } from '../../support/write-side.ts'
import { client, failing, lease, recordEvents, settled } from './idempotent-client.ts'

describe('a request with an Idempotency-Key', () => {
  it('is answered again as the first time, and done once', async () => {
    const side = writeSide()
    const { post } = client(side)
    const { repeated, ...first } = await post('k-1', lease)
    expect([repeated, first.status, recordEvents(side.log).length]).to.deep.equal([false, 201, 1])
    const stored = side.log.rows.length
    expect(await post('k-1', lease)).to.deep.equal({ ...first, repeated: true })
    expect(side.log.rows).to.have.length(stored)
  })

  it('is recognised a thousand times, after restarts and by other processes', async () => {
    const log = memoryLog()
    const { repeated: _, ...first } = await client(writeSide({ log })).post('k-1', lease)
    for (let process = 2; process <= 11; process++) {
      const { post } = client(writeSide({ log, process }))
      for (let i = 0; i < 100; i++)
        expect(await post('k-1', lease)).to.deep.equal({ ...first, repeated: true })
    }
    expect(recordEvents(log)).to.have.length(1)
  })

  it('is refused when the key was used for another request', async () => {
    const side = writeSide()
    const { post } = client(side)
    await post('k-1', lease)
    const outcome = await settled(post('k-1', { ...lease, Notes: 'x' }))
    expect(faultsOf(outcome, Conflict)).to.deep.equal(['Idempotency-Key: was used for another request'])
    expect(recordEvents(side.log)).to.have.length(1)
  })

  it('is another for another key, user or company', async () => {
    const side = writeSide()
    const answers = [
      await client(side).post('k-1', lease),
      await client(side).post('k-2', lease),
      await client(side, { actor: 'user-2' }).post('k-1', lease),
      await client(side, { company: 'company-2' }).post('k-1', lease),
    ]
    expect(answers.map(({ repeated }) => repeated)).to.deep.equal([false, false, false, false])
    expect(new Set(answers.map(({ body }) => body)).size).to.equal(4)
  })

  it('leaves nothing of its key in the store: a client may put anything there', async () => {
    const side = writeSide()
    await client(side).post('secret-of-a-client', lease)
    expect(JSON.stringify(side.log.all())).not.to.contain('secret-of-a-client')
  })

  it('may be sent again when it failed, and then does what it could not do', async () => {
    const side = writeSide()
    const { post } = client(side)
    const wanting = { ...lease, Tenant: key('tenant', 1) }
    faultsOf(await settled(post('k-1', wanting)), Invalid)
    await record(side.events, [happened(key('tenant', 1), 'tenant.created', { Name: 'Ann' })])
    expect((await post('k-1', wanting)).status).to.equal(201)
  })

  it('leaves a bounded trail however often it is refused; the key then stands for it', async () => {
    const side = writeSide()
    const { post } = client(side)
    const outcomes = []
    for (let i = 0; i < 40; i++) {
      const wanting = { ...lease, Tenant: key('tenant', (i % 2) + 1) }
      outcomes.push(String(await post('k-1', wanting).catch((error: unknown) => error)).split(':')[0])
    }
    expect(outcomes.slice(0, 10)).to.deep.equal(Array(10).fill('Invalid'))
    expect(new Set(outcomes.slice(-10))).to.deep.equal(new Set(['Invalid', 'Conflict']))
    expect(side.log.rows.length).to.be.at.most(22)
    const other = faultsOf(await settled(post('k-1', lease)), Conflict)
    expect(other).to.deep.equal(['Idempotency-Key: was used for another request'])
  })

  it('leaves no hash of itself that could be tried out, and is known by that of an earlier version', async () => {
    const side = writeSide()
    await client(side).post('k-1', lease)
    const [received] = side.log.all().filter(({ type }) => type === 'request.received')
    expect(received!.data['Fingerprint']).to.match(/^[0-9a-f]{64}$/)
    const old = { ...received!, data: { Fingerprint: JSON.stringify(lease) } }
    const log = memoryLog()
    const { stream, id, type, data, metadata } = old
    const events = writeSide({ log }).events
    await events.append({ company: COMPANY, stream, expected: 0, events: [{ id, type, data, metadata }] })
    expect((await client(writeSide({ log })).post('k-1', lease)).status).to.equal(201)
  })

  it('is run again when its answer was an error, and its answer is not kept', async () => {
    const side = writeSide()
    const { send } = client(side)
    const statuses = [409, 404, 200, 500]
    const run = async () => ({ status: statuses.shift()!, headers: {}, body: '' })
    const answers = []
    for (let i = 0; i < 4; i++) answers.push(await send('k-1', {}, run))
    expect(answers.map(({ status, repeated }) => [status, repeated])).to.deep.equal([
      [409, false],
      [404, false],
      [200, false],
      [200, true],
    ])
  })

  it('that changes nothing is answered only once its answer is recorded: a later run could come to another', async () => {
    const side = writeSide({
      interference: {
        before({ events }) {
          if (events.some(({ type }) => type === 'request.answered'))
            throw new Unavailable('the store is away')
        },
      },
    })
    const { send } = client(side)
    const run = (more: object) => async () => ({ status: 200, headers: {}, body: 'as it is', ...more })
    expect((await send('k-1', {}, run({}))).status).to.equal(200)
    const outcome = await settled(send('k-2', {}, run({ changedNothing: true })))
    expect(outcome).to.have.property('status', 'rejected')
  })

  it('is answered though the store takes no event as large as its answer, and is done once all the same', async () => {
    const isAnswer = ({ events }: Append) => events.some(({ type }) => type === 'request.answered')
    const side = writeSide({
      interference: {
        before(append) {
          if (isAnswer(append)) throw new TooLarge('larger than the event store takes')
        },
      },
    })
    const { post } = client(side)
    const first = await post('k-1', lease)
    const second = await post('k-1', lease)
    expect([first.status, second.status]).to.deep.equal([201, 201])
    expect(second.headers['Location']).to.equal(first.headers['Location'])
    expect(recordEvents(side.log)).to.have.length(1)
  })

  it('is judged by the day and year on which it is done', async () => {
    const clock = manualClock('2026-12-31T23:59:59.000Z')
    const interference = failing('before', 'contract-')
    const side = writeSide({ clock, interference })
    const { post } = client(side)
    const body = { ...lease, StartDate: '2027-01-01' }
    await settled(post('k-1', body))
    delete interference.before
    clock.jump('2027-01-01T00:00:01.000Z')
    faultsOf(await settled(post('k-1', body)), Invalid)
    // What its first run has done is not known: the key stays its own.
    const corrected = { ...body, StartDate: '2027-02-01' }
    faultsOf(await settled(post('k-1', corrected)), Conflict)
    const { status, body: answer } = await post('k-2', corrected)
    expect([status, (JSON.parse(answer) as Fields)['ContractNumber']]).to.deep.equal([201, 'CON-2027-0001'])
  })

  it('leaves its key to a corrected one when it was refused, and never stood for more', async () => {
    const side = writeSide()
    const { post } = client(side)
    faultsOf(await settled(post('k-1', { ...lease, StartDate: '2020-01-01' })), Invalid)
    expect((await post('k-1', lease)).status).to.equal(201)
    expect((await post('k-1', lease)).repeated).to.equal(true)
    faultsOf(await settled(post('k-1', { ...lease, StartDate: '2027-01-01' })), Conflict)
    expect(recordEvents(side.log)).to.have.length(1)
  })

  it('keeps its key when a repeat is refused for what the first run may have done', async () => {
    const { send } = client(writeSide())
    const ends = (error: Error) => async () => {
      throw error
    }
    await settled(send('k-1', {}, ends(new Unavailable('the process died'))))
    faultsOf(await settled(send('k-1', {}, ends(new NotFound('it is deleted')))), NotFound)
    const other = send('k-1', { Other: true }, async () => ({ status: 200, headers: {}, body: '' }))
    faultsOf(await settled(other), Conflict)
  })

  it('is answered where its answer cannot be kept', async () => {
    const side = writeSide()
    const seal = () => Promise.reject(new Unavailable('there are no keys now'))
    const away = { ...side, answers: { ...side.answers, seal } }
    expect((await client(away).post('k-1', lease)).status).to.equal(201)
    expect((await client(side).post('k-1', lease)).status).to.equal(201)
    expect(recordEvents(side.log)).to.have.length(1)
  })

  it('finds on the next day what it did on the first, though it would not be allowed any more', async () => {
    const clock = manualClock('2026-12-31T23:59:59.000Z')
    const interference = failing('after', 'contract-')
    const side = writeSide({ clock, interference })
    const { post } = client(side)
    const body = { ...lease, StartDate: '2027-01-01' }
    await settled(post('k-1', body))
    delete interference.after
    clock.jump('2027-01-01T00:00:01.000Z')
    expect((await post('k-1', body)).status).to.equal(201)
    expect(recordEvents(side.log)).to.have.length(1)
  })

  it('ends 24 hours after it was answered, and then says what it did', async () => {
    const clock = manualClock('2026-03-01T09:30:00.000Z')
    const { post } = client(writeSide({ clock }))
    await post('k-1', lease)
    clock.pass(24 * 3_600_000 - 1)
    expect((await post('k-1', lease)).repeated).to.equal(true)
    clock.pass(1)
    const outcome = await settled(post('k-1', lease))
    faultsOf(outcome, Conflict)
    expect(String((outcome as PromiseRejectedResult).reason)).to.match(/was used before \(version 1\)/)
  })
})

describe('a request that was cut off', () => {
  const cutOffAt: [what: string, interference: Interference][] = [
    ['before it was recorded', failing('before', 'request-')],
    ['after it was recorded', failing('after', 'request-')],
    ['before a number was reserved', failing('before', 'numbering-')],
    ['after a number was reserved', failing('after', 'numbering-')],
    ['before a value was claimed', failing('before', 'claim-')],
    ['after a value was claimed', failing('after', 'claim-')],
    ['before its record was stored', failing('before', 'contract-')],
    ['after its record was stored', failing('after', 'contract-')],
  ]
  for (const [what, interference] of cutOffAt)
    it(`${what} is done once when it comes again, by this process and by another`, async () => {
      for (const restarted of [false, true]) {
        const log = memoryLog()
        const now: Interference = { ...interference }
        const first = writeSide({ log, interference: now })
        const body = { ...lease, Reference: 'R-1' }
        const outcome = await settled(client(first).post('k-1', body))
        expect(outcome.status).to.equal('rejected')
        delete now.before
        delete now.after
        const again = restarted ? writeSide({ log, process: 2 }) : first
        const { repeated, ...answer } = await client(again).post('k-1', body)
        expect([repeated, answer.status, recordEvents(log).length]).to.deep.equal([false, 201, 1])
        const [stored] = recordEvents(log)
        expect(JSON.parse(answer.body)).to.deep.equal({ Id: stored?.stream, ...stored?.data, created: true })
        expect(await client(again).post('k-1', body)).to.deep.equal({ ...answer, repeated: true })
      }
    })

  it('before its answer was recorded: a change is recognised, also when others changed the record since', async () => {
    const log = memoryLog()
    const ann = key('tenant', 1)
    const interference: Interference = {}
    const side = writeSide({ log, interference })
    await record(side.events, [happened(ann, 'tenant.created', { Name: 'Ann', Score: 1 })])
    Object.assign(interference, failing('after', 'tenant-'))
    await settled(client(side).patch('k-1', ann, { Score: 2 }))
    delete interference.after
    await update(ann, { Score: 3, Phone: '1' })(side.write)
    const answer = await client(side).patch('k-1', ann, { Score: 2 })
    expect([answer.headers['ETag'], answer.body]).to.deep.equal([
      '"2"',
      JSON.stringify({ Id: ann, Name: 'Ann', Score: 2, created: false }),
    ])
    expect(recordEvents(log).map(({ data }) => data['Score'])).to.deep.equal([1, 2, 3])
  })

  it('is answered from what was stored when its answer is too long to be kept', async () => {
    const side = writeSide()
    const { send } = client(side)
    const body = { ...lease, Terms: 'x'.repeat(400_000) }
    const run = async (asking: Caller): Promise<RecordedAnswer> => {
      const { key: Id, state } = await side.write.create(asking, { definition: definition('contract'), body })
      return {
        status: 201,
        headers: {},
        body: JSON.stringify({ Id, Terms: [state.fields['Terms'], 'x'.repeat(600_000)] }),
      }
    }
    const first = await send('k-1', body, run)
    expect(await send('k-1', body, run)).to.deep.equal(first)
    expect(recordEvents(side.log)).to.have.length(1)
  })
})

describe('the streams of requests', () => {
  it("tell nothing of another company's keys", async () => {
    const side = writeSide()
    await client(side).post('secret-key', lease)
    const stream = side.log.all().find(({ type }) => type === 'request.received')!.stream
    expect(stream).to.match(/^request-[0-9a-f]{40}$/)
    expect(await side.events.read('company-2', stream)).to.deep.equal([])
    expect(await side.events.read(COMPANY, stream)).to.have.length(2)
  })
})
