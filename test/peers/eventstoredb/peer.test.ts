/**
 * The peer answers as a real EventStoreDB 23.10.6 was seen to answer the same client: without this, tests on the peer
 * would prove nothing.
 */
import { randomUUID } from 'node:crypto'
import {
  type AppendExpectedRevision,
  BACKWARDS,
  END,
  EventStoreDBClient,
  eventTypeFilter,
  jsonEvent,
  NO_STREAM,
  type Position,
  START,
} from '@eventstore/db-client'
import { expect } from 'chai'
import { grpc, GrpcStreamsClient, shared, streams } from './generated.ts'
import { type Peer, startPeer } from './start-peer.ts'

describe('the peer of EventStoreDB', () => {
  let peer: Peer
  let client: EventStoreDBClient
  let stream: string

  beforeEach(async () => {
    peer = await startPeer()
    client = EventStoreDBClient.connectionString(peer.url)
    stream = `test-${randomUUID()}`
  })
  afterEach(async () => {
    await client.dispose()
    await peer.stop()
  })

  const event = (given: { id?: string; type?: string; data?: Record<string, unknown> } = {}) =>
    jsonEvent({ id: randomUUID(), type: 'tested', data: { Is: 'small' }, ...given })
  type Given = ReturnType<typeof event>
  const append = (expectedRevision: AppendExpectedRevision, ...events: Given[]) =>
    client.appendToStream(stream, events, { expectedRevision })

  async function revisions(): Promise<bigint[]> {
    const found: bigint[] = []
    for await (const { event } of client.readStream(stream)) if (event) found.push(event.revision)
    return found
  }

  describe('appends', () => {
    it('counts revisions from 0 and gives every event a position of its own', async () => {
      const first = await append(NO_STREAM, event(), event())
      const second = await append(1n, event())
      expect([first.nextExpectedRevision, second.nextExpectedRevision]).to.deep.equal([1n, 2n])
      const positions: Position[] = []
      for await (const { event } of client.readStream(stream))
        if (event?.position) positions.push(event.position)
      expect(positions.map(({ commit }) => commit)).to.deep.equal(positions.map(({ prepare }) => prepare))
      expect([positions[1], positions[2]]).to.deep.equal([first.position, second.position])
      expect(Number(positions[2]?.commit)).to.be.greaterThan(Number(positions[1]?.commit) + 100)
    })

    it('names expected and actual of a wrong version', async () => {
      const onNone = await rejection(append(3n, event()))
      expect(onNone).to.include({ type: 'wrong-expected-version', streamName: stream, expectedVersion: 3n })
      expect(onNone).to.include({ actualVersion: 'no_stream', message: '' })
      await append(NO_STREAM, event(), event())
      expect(await rejection(append(NO_STREAM, event()))).to.include({
        expectedVersion: 'no_stream',
        actualVersion: 1n,
      })
      expect(await rejection(append(0n, event()))).to.include({ expectedVersion: 0n, actualVersion: 1n })
    })

    it('writes a repeat once and answers as the first time, also a leading part of it and after later events', async () => {
      const events = [event(), event(), event()]
      const first = await append(NO_STREAM, ...events)
      await append(2n, event())
      expect(await append(NO_STREAM, ...events)).to.deep.equal(first)
      expect(await append(NO_STREAM, ...events.slice(0, 2))).to.include({ nextExpectedRevision: 1n })
      expect(await revisions()).to.have.length(4)
    })

    it('takes a repeat with a further event for a wrong version', async () => {
      const events = [event(), event()]
      await append(NO_STREAM, ...events)
      expect(await rejection(append(NO_STREAM, ...events, event()))).to.include({
        type: 'wrong-expected-version',
      })
    })

    it('writes an id again at the head, or when it occurs twice', async () => {
      const twice = event()
      await append(NO_STREAM, twice, twice)
      await append(1n, twice)
      expect(await revisions()).to.deep.equal([0n, 1n, 2n])
    })

    it('refuses what is malformed without an explanation', async () => {
      const malformed = [
        event({ id: 'x' }),
        event({ id: '00000000-0000-0000-0000-000000000000' }),
        event({ type: '' }),
      ]
      for (const one of malformed) {
        expect(await rejection(append(NO_STREAM, one))).to.include({
          type: 'unknown',
          message: 'Could not recognize BadRequest',
        })
      }
      stream = ''
      expect(await rejection(append(NO_STREAM, event()))).to.include({ type: 'unknown' })
    })

    it('takes 1,048,576 bytes of data and no more', async () => {
      const sized = (bytes: number) => event({ data: { Text: 'x'.repeat(bytes - '{"Text":""}'.length) } })
      await append(NO_STREAM, sized(1_000_000), sized(48_576))
      const error = await rejection(append(1n, sized(1_000_000), sized(48_577)))
      expect(error).to.include({ type: 'maximum-append-size-exceeded', maxAppendSize: 1_048_576 })
      expect(await revisions()).to.have.length(2)
    })

    it('lets one of twenty racing appends win', async () => {
      const race = await Promise.allSettled(Array.from({ length: 20 }, () => append(NO_STREAM, event())))
      expect(race.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
    })

    it('writes nothing of an append that is cut short', async () => {
      const grpcClient = new GrpcStreamsClient(`127.0.0.1:${peer.port}`, grpc.credentials.createInsecure())
      const call = grpcClient.batchAppend()
      const ended = new Promise((resolve) => call.on('error', resolve).resume())
      const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream).toString('base64'))
      const options = new streams.BatchAppendReq.Options().setStreamIdentifier(identifier)
      const message = new streams.BatchAppendReq.ProposedMessage().setId(
        new shared.UUID().setString(randomUUID()),
      )
      message.getMetadataMap().set('type', 'tested').set('content-type', 'application/json')
      const request = new streams.BatchAppendReq().setCorrelationId(new shared.UUID().setString(randomUUID()))
      request.addProposedMessages(message)
      call.write(request.setOptions(options.setNoStream(new shared.Empty())))
      await until(() => peer.observed().received === 1)
      call.cancel()
      await ended
      expect(await rejection(revisions())).to.include({ type: 'stream-not-found' })
      grpcClient.close()
    })

    it('is unavailable when its connections break before the answer, and has written', async () => {
      await append(NO_STREAM, event())
      peer.faults.loseAnswers(1)
      expect(await rejection(append(0n, event()))).to.include({ type: 'unavailable', code: 14 })
      expect(await revisions()).to.have.length(2)
    })
  })

  describe('reads', () => {
    it('knows no stream that was not written', async () => {
      expect(await rejection(revisions())).to.include({ type: 'stream-not-found', streamName: stream })
    })

    it('reads from a revision, so many, and nothing past the end', async () => {
      await append(NO_STREAM, ...Array.from({ length: 70 }, () => event()))
      const read = async (fromRevision: bigint, maxCount: number) => {
        let count = 0
        for await (const { event } of client.readStream(stream, { fromRevision, maxCount }))
          if (event) count += 1
        return count
      }
      expect([
        await read(0n, 100),
        await read(60n, 100),
        await read(10n, 33),
        await read(70n, 5),
      ]).to.deep.equal([70, 10, 33, 0])
    })

    it('reads a stream backwards from its end, a page at a time', async () => {
      const events = Array.from({ length: 70 }, () => event())
      await append(NO_STREAM, ...events)
      const read = async (maxCount: number) => {
        const ids: string[] = []
        for await (const { event } of client.readStream(stream, {
          direction: BACKWARDS,
          fromRevision: END,
          maxCount,
        }))
          if (event) ids.push(event.id)
        return ids
      }
      const backwards = events.map(({ id }) => id).reverse()
      expect(await read(1)).to.deep.equal(backwards.slice(0, 1))
      expect(await read(40)).to.deep.equal(backwards.slice(0, 40))
      expect(await read(100)).to.deep.equal(backwards)
    })

    it("reads everything backwards, with the server's own events", async () => {
      await append(NO_STREAM, event())
      const types: string[] = []
      for await (const { event } of client.readAll({ direction: BACKWARDS, fromPosition: END })) {
        if (event) types.push(event.type)
      }
      expect(types[0]).to.equal('tested')
      expect(types.slice(1).every((type) => type.startsWith('$'))).to.equal(true)
      expect(types).to.have.length.greaterThan(1)
    })
  })

  describe('a cluster', () => {
    const ready = (requiresLeader: boolean) => {
      const reading = client.readStream(stream, { requiresLeader, maxCount: 1 })
      return rejection(reading[Symbol.asyncIterator]().next())
    }

    it('has a leader that followers name, in gossip and to those who need it', async () => {
      const leader = await startPeer()
      await append(NO_STREAM, event())
      peer.faults.nameLeader(leader.port)
      expect(await ready(true)).to.include({ type: 'not-leader' })
      const byGossip = EventStoreDBClient.connectionString(`esdb+discover://127.0.0.1:${peer.port}?tls=false`)
      expect(await rejection(byGossip.readStream(stream)[Symbol.asyncIterator]().next())).to.include({
        type: 'stream-not-found',
      })
      await byGossip.dispose()
      await leader.stop()
    })

    it('has nodes without it, which answer from what they have, and otherwise say nothing of use', async () => {
      await append(NO_STREAM, event())
      peer.faults.loseQuorum()
      expect(await revisions()).to.deep.equal([0n])
      expect(await ready(true)).to.include({ type: 'unavailable', code: 14 })
    })
  })

  it('takes the beginning of a stream away', async () => {
    await append(NO_STREAM, event(), event(), event())
    peer.cutStream(stream, 2)
    expect(await revisions()).to.deep.equal([2n])
  })

  describe('subscriptions', () => {
    interface Seen {
      readonly ids: string[]
      readonly checkpoints: Position[]
      readonly error: Promise<unknown>
      readonly caughtUp: Promise<void>
    }

    function subscribe(fromPosition: Position | typeof START, regex = '^[^$]'): Seen {
      const caughtUp = Promise.withResolvers<void>()
      const error = Promise.withResolvers<unknown>()
      const seen: Seen = { ids: [], checkpoints: [], error: error.promise, caughtUp: caughtUp.promise }
      client
        .subscribeToAll({
          fromPosition,
          filter: eventTypeFilter({
            regex,
            checkpointReached: (_, position) => {
              seen.checkpoints.push(position)
            },
          }),
        })
        .on('data', ({ event }) => event && seen.ids.push(event.id))
        .on('caughtUp', () => caughtUp.resolve())
        .on('error', (reason) => error.resolve(reason))
      return seen
    }

    it('begins after a position, and goes on live', async () => {
      const events = [event(), event(), event(), event()]
      const { position } = await append(NO_STREAM, ...events.slice(0, 2))
      await append(1n, ...events.slice(2, 3))
      const seen = subscribe(position ?? START)
      await seen.caughtUp
      await append(2n, ...events.slice(3))
      await until(() => seen.ids.length === 2)
      expect(seen.ids).to.deep.equal(events.slice(2).map(({ id }) => id))
    })

    it('does not know a position that is no event’s', async () => {
      const { position } = await append(NO_STREAM, event(), event())
      await append(1n, event())
      const made = { commit: (position?.commit ?? 0n) + 1n, prepare: (position?.commit ?? 0n) + 1n }
      expect(await subscribe(made).error).to.include({ type: 'unknown', code: 2 })
    })

    it('is silent when it begins beyond the end', async () => {
      await append(NO_STREAM, event())
      const seen = subscribe({ commit: 1_000_000n, prepare: 1_000_000n })
      await seen.caughtUp
      await append(0n, event())
      await peer.writeSystemEvents(1) // whatever the first had to say has been said
      expect(seen.ids).to.deep.equal([])
    })

    it('goes on, silently, when its node no longer leads or says nothing more', async () => {
      const seen = subscribe(START)
      await seen.caughtUp
      peer.faults.standStill()
      await append(NO_STREAM, event())
      const leading = await readEverything()
      peer.faults.nameLeader(1)
      expect(leading).to.equal(1)
      expect(seen.ids).to.deep.equal([])
      expect(peer.observed().subscribers).to.equal(1)
    })

    it('outlives the right to read everything, which new ones need', async () => {
      const seen = subscribe(START)
      await seen.caughtUp
      peer.faults.denyAll()
      await append(NO_STREAM, event())
      await until(() => seen.ids.length === 1)
      expect(await subscribe(START).error).to.include({ type: 'access-denied' })
      expect(await rejection(readEverything())).to.include({ type: 'access-denied' })
    })

    async function readEverything(): Promise<number> {
      let count = 0
      for await (const { event } of client.readAll({ direction: BACKWARDS, fromPosition: END }))
        if (event?.streamId === stream) count += 1
      return count
    }

    it('sends a checkpoint every 32 events, whether they pass the filter or not', async () => {
      await append(NO_STREAM, ...Array.from({ length: 61 }, () => event())) // 3 of the server's own come before
      await peer.writeSystemEvents(64)
      const seen = subscribe(START)
      await seen.caughtUp
      expect(seen.ids).to.have.length(61)
      expect(seen.checkpoints).to.have.length(4)
      // A page on which nothing passed is named by its beginning, which is a place and no event's position.
      const places = seen.checkpoints.map(({ commit, prepare }) => commit !== prepare)
      expect(places).to.deep.equal([false, false, true, true])
      await peer.writeSystemEvents(64)
      await until(() => seen.checkpoints.length === 6)
      expect(seen.checkpoints.slice(4).every(({ commit, prepare }) => commit === prepare)).to.equal(true)
    })

    it('drops a live consumer that is too slow', async () => {
      peer.faults.limitLiveBacklog(10)
      const seen = subscribe(START)
      await seen.caughtUp
      await append(NO_STREAM, ...Array.from({ length: 500 }, () => event()))
      expect(await seen.error).to.include({ type: 'timeout', code: 10 })
    })

    it('ends with an error when the connection breaks', async () => {
      const seen = subscribe(START)
      await seen.caughtUp
      peer.faults.breakConnections()
      expect(await seen.error).to.include({ type: 'unavailable', code: 14 })
    })
  })
})

/** Looks again and again; the test's own time limit ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const rejection = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => Promise.reject(new Error('expected a rejection')),
    (reason: unknown) => reason,
  )
