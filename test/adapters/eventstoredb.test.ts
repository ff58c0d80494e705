/**
 * The event store on EventStoreDB: its contract, on the peer always and on the server of `EVENTSTORE_URL` when that is
 * set, and what happens when a server fails, which only the peer does on request.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { expect } from 'chai'
import { correlationOf } from '../../src/adapters/eventstoredb/append-messages.ts'
import { backlog } from '../../src/adapters/eventstoredb/backlog.ts'
import { type EventStoreDbSettings, eventStoreDbStore } from '../../src/adapters/eventstoredb/event-store.ts'
import { Unavailable } from '../../src/domain/errors.ts'
import type { NewEvent, Position, RecordedEvent } from '../../src/domain/event.ts'
import {
  type Appended,
  type EventBatch,
  type EventStore,
  VersionConflict,
} from '../../src/ports/event-store.ts'
import { eventStoreContract } from '../contracts/event-store.ts'
import { shared, streams } from '../peers/eventstoredb/generated.ts'
import { type Peer, type PeerSettings, startPeer } from '../peers/eventstoredb/start-peer.ts'
import { freshCompany, freshStream, newEvent, newEvents } from '../support/events.ts'
import { tcpProxy } from '../support/tcp-proxy.ts'

const PEER = join(import.meta.dirname, '../peers/eventstoredb/main.ts')
const realServer = process.env.EVENTSTORE_URL

describe('the event store on the peer of EventStoreDB', () => {
  let peer: Peer
  before(async () => {
    peer = await startPeer()
  })
  after(() => peer.stop())
  eventStoreContract(async () => eventStoreDbStore({ url: peer.url }))
})

if (realServer) {
  describe(`the event store on the server at ${realServer.replace(/\/\/.*@/, '//')}`, () => {
    eventStoreContract(async () => eventStoreDbStore({ url: realServer }))
  })
}

describe('the event store on EventStoreDB, when things go wrong', () => {
  const company = freshCompany()
  let undo: (() => Promise<unknown>)[] = []
  let stream: string

  beforeEach(() => {
    stream = freshStream()
  })
  afterEach(async () => {
    for (const step of undo.reverse()) await step()
    undo = []
  })

  async function peerOf(settings: PeerSettings = {}): Promise<Peer> {
    const peer = await startPeer(settings)
    undo.push(() => peer.stop())
    return peer
  }

  function storeAt(settings: EventStoreDbSettings): EventStore {
    const store = eventStoreDbStore(settings)
    undo.push(() => store.close())
    return store
  }

  const event = (): NewEvent => newEvent({ company })
  const events = (count: number): NewEvent[] => newEvents(count, { company })
  const append = (store: EventStore, expected: number, ...appended: NewEvent[]): Promise<Appended> =>
    store.append({ company, stream, expected, events: appended })

  describe('an append', () => {
    it('that was written but never acknowledged is found and answered, once', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url })
      const appended = events(3)
      await append(store, 0, event())
      peer.faults.loseAnswers(1)
      const answer = await append(store, 1, ...appended)
      const read = await store.read(company, stream, 1)
      expect(idsOf(read)).to.deep.equal(idsOf(appended))
      expect(answer).to.deep.equal({ version: 4, position: read[2]?.position })
    })

    it('that the server takes for a conflict with itself is recognised by its ids', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url })
      peer.faults.answerRepeats('conflict')
      peer.faults.loseAnswers(1)
      const appended = events(2)
      const answer = await append(store, 0, ...appended)
      const read = await store.read(company, stream)
      expect(idsOf(read)).to.deep.equal(idsOf(appended))
      expect(answer).to.deep.equal({ version: 2, position: read[1]?.position })
    })

    it('that the server recognises without saying where it is, gets its position all the same', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url })
      peer.faults.answerRepeats('without position')
      const appended = events(2)
      const first = await append(store, 0, ...appended)
      await append(store, 2, event())
      expect(await append(store, 0, ...appended)).to.deep.equal(first)
    })

    it('that lost against another, and whose answer was lost, conflicts', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url })
      await append(store, 0, ...events(2))
      peer.faults.loseAnswers(1)
      const error = await rejection(append(store, 0, ...events(2)))
      expect(error).to.be.instanceOf(VersionConflict).and.to.include({ expected: 0, actual: 2 })
    })

    it('ends as Unavailable when the server is silent, and may be repeated when it speaks again', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url, timeoutMs: 400 })
      const appended = events(2)
      await append(store, 0, event())
      peer.faults.fallSilent()
      expect(await rejection(append(store, 1, ...appended))).to.be.instanceOf(Unavailable)
      peer.faults.speak()
      expect(await append(store, 1, ...appended)).to.include({ version: 3 })
      expect(await store.read(company, stream)).to.have.length(3)
    })

    it('is resolved when the server falls silent for less than its time', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url, timeoutMs: 1_500 })
      peer.faults.fallSilent()
      const appending = append(store, 0, ...events(2))
      await until(() => peer.observed().appends >= 2) // the first attempt was given up
      peer.faults.speak()
      expect(await appending).to.include({ version: 2 })
      expect(await store.read(company, stream)).to.have.length(2)
    })

    it('waits its turn with many others as long as a slow server gets on, and is not sent again', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url, timeoutMs: 9_000 })
      await store.head()
      peer.faults.slowAppends(100)
      const count = 40 // 4 s, where 3 s of silence would be the end
      await Promise.all(
        events(count).map((one) =>
          store.append({ company, stream: freshStream(), expected: 0, events: [one] }),
        ),
      )
      expect(peer.observed().appends).to.equal(count)
    })

    it('that did not get its turn in time is Unavailable, and is stored once when it is repeated', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url, timeoutMs: 1_000 })
      await store.head()
      peer.faults.slowAppends(100)
      const appends = events(30).map((one) => ({
        company,
        stream: freshStream(),
        expected: 0,
        events: [one],
      }))
      const first = await Promise.allSettled(appends.map((one) => store.append(one)))
      const failed = first.filter((outcome) => outcome.status === 'rejected')
      expect(failed.length).to.be.within(1, 29)
      for (const { reason } of failed) expect(reason).to.be.instanceOf(Unavailable)
      peer.faults.slowAppends(0)
      await Promise.all(appends.map((one) => store.append(one)))
      for (const { stream, events } of appends)
        expect((await store.read(company, stream)).map(({ id }) => id)).to.deep.equal([events[0]!.id])
    })

    it('ends as Unavailable when there is no server', async () => {
      const peer = await startPeer()
      await peer.stop()
      const store = storeAt({ url: peer.url, timeoutMs: 300 })
      expect(await rejection(append(store, 0, event()))).to.be.instanceOf(Unavailable)
      expect(await rejection(store.read(company, stream))).to.be.instanceOf(Unavailable)
      expect(await rejection(store.head())).to.be.instanceOf(Unavailable)
    })

    it('waits for a server that comes up', async () => {
      const gone = await startPeer()
      await gone.stop()
      const store = storeAt({ url: gone.url })
      const appending = append(store, 0, event())
      await peerOf({ port: gone.port })
      expect(await appending).to.include({ version: 1 })
    })

    it('finds a server that is back at once, without waiting as long as it was gone', async () => {
      const gone = await startPeer()
      await gone.stop()
      const store = storeAt({ url: gone.url, timeoutMs: 400 })
      expect(await rejection(append(store, 0, event()))).to.be.instanceOf(Unavailable)
      await peerOf({ port: gone.port })
      expect(await append(store, 0, event())).to.include({ version: 1 })
    })

    it('leaves a connection that has gone dead', async () => {
      const peer = await peerOf()
      const proxy = await tcpProxy({ port: peer.port })
      undo.push(() => proxy.stop())
      const store = storeAt({ url: `esdb://127.0.0.1:${proxy.port}?tls=false`, timeoutMs: 1_500 })
      const batches = store.subscribe(0)[Symbol.asyncIterator]()
      await append(store, 0, event())
      await batchOf(batches)
      proxy.swallow()
      const later = event()
      expect(await append(store, 1, later)).to.include({ version: 2 })
      expect(idsOf((await batchOf(batches)).events)).to.deep.equal([later.id])
      await batches.return?.()
    })

    it('goes to the leader that a follower names', async () => {
      const [follower, leader] = [await peerOf(), await peerOf()]
      follower.faults.nameLeader(leader.port)
      const store = storeAt({ url: follower.url, timeoutMs: 2_000 })
      expect(await append(store, 0, event())).to.include({ version: 1 })
      expect(await append(store, 1, event())).to.include({ version: 2 })
      const atLeader = storeAt({ url: leader.url })
      expect(idsOf(await store.read(company, stream))).to.deep.equal(
        idsOf(await atLeader.read(company, stream)),
      )
      expect(await store.head()).to.equal(await atLeader.head())
    })

    it('is not tried again when the server refuses it', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url })
      peer.faults.denyAccess()
      const calls = [append(store, 0, event()), store.read(company, stream), store.head()].map(rejection)
      for (const error of await Promise.all(calls)) {
        expect(error)
          .to.be.instanceOf(Unavailable)
          .and.to.have.property('message')
          .that.matches(/refuses/)
      }
      expect(peer.observed().appends).to.equal(1)
    })

    it('may be larger than one message of the protocol', async () => {
      const store = storeAt({ url: (await peerOf()).url })
      const appended = newEvents(4_000, { company, metadata: { reason: 'x'.repeat(1_000) } })
      expect(await append(store, 0, ...appended)).to.include({ version: 4_000 })
      expect(await store.read(company, stream)).to.have.length(4_000)
    })

    it('is answered by its id, in whichever form the server gives that back', () => {
      const id = 'fedcba98-7654-4321-8fed-0123456789ab'
      const [most, least] = [BigInt.asIntN(64, 0xfedcba9876544321n), BigInt.asIntN(64, 0x8fed0123456789abn)]
      const halves = new shared.UUID.Structured()
        .setMostSignificantBits(String(most))
        .setLeastSignificantBits(String(least))
      for (const form of [new shared.UUID().setString(id), new shared.UUID().setStructured(halves)]) {
        expect(correlationOf(new streams.BatchAppendResp().setCorrelationId(form))).to.equal(id)
      }
    })

    it('rejects when the store is closed', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url, timeoutMs: 1_000 })
      await append(store, 0, event())
      peer.faults.fallSilent()
      const pending = rejection(append(store, 1, event()))
      await store.close()
      expect(await pending).to.be.instanceOf(Unavailable)
      expect(await rejection(append(store, 1, event()))).to.be.instanceOf(Unavailable)
    })

    it('is refused for an event of another company, or an id that occurs twice', async () => {
      const store = storeAt({ url: (await peerOf()).url })
      expect(await rejection(append(store, 0, newEvent())))
        .to.have.property('message')
        .that.matches(/company/)
      const twice = event()
      expect(await rejection(append(store, 0, twice, twice)))
        .to.have.property('message')
        .that.matches(/twice/)
      expect(await rejection(append(store, 0, { ...event(), type: '$own' })))
        .to.have.property('message')
        .that.matches(/type/)
      expect(await store.read(company, stream)).to.deep.equal([])
    })
  })

  describe('a subscription', () => {
    it('goes on without a gap or a repeat when connections break', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url })
      const appended = events(300)
      const collecting = collect(store, 0, 300)
      for (const [index, one] of appended.entries()) {
        if (index % 50 === 25) peer.faults.breakConnections()
        await append(store, index, one)
      }
      expect(idsOf(await collecting)).to.deep.equal(idsOf(appended))
    })

    it('goes on when the server drops it for being slow', async () => {
      const peer = await peerOf()
      peer.faults.limitLiveBacklog(32)
      const store = storeAt({ url: peer.url })
      const appended = events(3_000)
      const collecting = collect(store, 0, 3_000)
      for (let from = 0; from < 3_000; from += 300)
        await append(store, from, ...appended.slice(from, from + 300))
      peer.faults.dropSubscribers()
      expect(idsOf(await collecting)).to.deep.equal(idsOf(appended))
      expect(peer.observed().drops).to.be.greaterThan(0)
    })

    it('is left in time when its consumer is slow, and taken up again', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url })
      const appended = events(6_000)
      const batches = store.subscribe(0)[Symbol.asyncIterator]()
      await append(store, 0, ...appended.slice(0, 1))
      const first = await batches.next()
      for (let from = 1; from < 6_000; from += 200)
        await append(store, from, ...appended.slice(from, from + 200))
      await until(() => peer.observed().subscribers === 0)
      const collected: RecordedEvent[] = first.done ? [] : [...first.value.events]
      for await (const batch of { [Symbol.asyncIterator]: () => batches }) {
        collected.push(...batch.events)
        if (collected.length >= 6_000) break
      }
      expect(idsOf(collected)).to.deep.equal(idsOf(appended))
      expect(peer.observed().drops).to.equal(0)
    })

    it('is given up on the server when its consumer leaves, and when the store is closed', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url })
      const { position } = await append(store, 0, event())
      await collect(store, 0, 1)
      await until(() => peer.observed().subscribers === 0)
      const waiting = store.subscribe(position)[Symbol.asyncIterator]().next()
      await until(() => peer.observed().subscribers === 1)
      await store.close()
      expect((await waiting).done).to.equal(true)
      await until(() => peer.observed().subscribers === 0 && peer.observed().connections === 0)
    })

    it('is opened on a new connection when the old one has gone dead', async () => {
      const peer = await peerOf()
      const proxy = await tcpProxy({ port: peer.port })
      undo.push(() => proxy.stop())
      const store = storeAt({ url: `esdb://127.0.0.1:${proxy.port}?tls=false`, timeoutMs: 500 })
      const appended = event()
      await append(store, 0, appended)
      proxy.swallow()
      expect(idsOf(await collect(store, 0, 1))).to.deep.equal([appended.id])
    })

    it("passes the server's own events over, and its position moves on", async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url })
      const { position } = await append(store, 0, event())
      const batches = store.subscribe(position)[Symbol.asyncIterator]()
      const next = batchOf(batches)
      await until(() => peer.observed().subscribers === 1)
      // Live, so that checkpoints name events; one comes after every 32.
      await append(store, 1, event())
      const { position: reached } = await next
      await peer.writeSystemEvents(40)
      const passed = await batchOf(batches)
      expect(passed.events).to.deep.equal([])
      expect(passed.position).to.be.greaterThan(reached)
      await batches.return?.()
    })

    it('reaches the head though nothing but events of the server and of others comes last', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url })
      await append(store, 0, event())
      const others = EventStoreDBClient.connectionString(peer.url)
      const [named, listed] = [{ Not: 'ours' }, ['Not ours']].map((data) =>
        jsonEvent({ type: 'Other', data }),
      )
      await others.appendToStream(stream, named ?? [], { expectedRevision: 0n })
      await others.appendToStream(freshStream(), listed ?? [], { expectedRevision: NO_STREAM })
      await others.dispose()
      await peer.writeSystemEvents(100)
      const head = await store.head()
      const collected: RecordedEvent[] = []
      for await (const batch of store.subscribe(0)) {
        collected.push(...batch.events)
        if (batch.position >= head) break
      }
      expect(idsOf(collected)).to.deep.equal(idsOf(await store.read(company, stream)))
      expect(collected).to.have.length(1)
    })

    it('does not take a checkpoint between events for the event that comes to stand there', async () => {
      const peer = await peerOf({ checkpointOnCatchUp: true })
      const store = storeAt({ url: peer.url })
      const first = event()
      await append(store, 0, first)
      let reached = 0
      for await (const batch of store.subscribe(0)) {
        reached = batch.position
        if (batch.events.length > 0) break
      }
      const batches = store.subscribe(reached)[Symbol.asyncIterator]()
      const waiting = batchOf(batches)
      await until(() => peer.observed().subscribers === 1)
      await store.head() // on the same connection, so the checkpoint has arrived before its answer
      peer.faults.breakConnections()
      const second = event()
      await append(store, 1, second)
      expect(idsOf((await waiting).events)).to.deep.equal([second.id])
      await batches.return?.()
    })

    it('throws Unavailable when the server keeps refusing the position', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url, timeoutMs: 300 })
      await append(store, 0, event())
      expect(await rejection(collect(store, 1_000_003, 1))).to.be.instanceOf(Unavailable)
    })

    it('says when it is interrupted and when it goes on', async () => {
      const peer = await peerOf()
      const said: string[] = []
      const store = storeAt({ url: peer.url, log: (message) => said.push(message) })
      const collecting = collect(store, 0, 2)
      await append(store, 0, event())
      await until(() => peer.observed().subscribers === 1)
      peer.faults.breakConnections()
      await until(() => said.length === 2)
      expect(said[0]).to.match(/interrupted/)
      expect(said[1]).to.match(/goes on/)
      await append(store, 1, event())
      await collecting
    })
  })

  describe('the backlog of a subscription', () => {
    const recorded = (position: Position): RecordedEvent => ({ ...event(), stream, version: 1, position })

    it('is not moved back by a checkpoint that lies behind, nor filled twice with one event', async () => {
      const kept = backlog(10)
      kept.put({ event: recorded(20), position: 20 })
      kept.put({ position: 15 })
      kept.put({ event: recorded(20), position: 20 })
      expect(kept.reached()).to.equal(20)
      const batch = await kept.take()
      expect(batch?.events).to.have.length(1)
      expect(batch?.position).to.equal(20)
    })

    it('gives what it has before the error that ends it', async () => {
      const kept = backlog(0)
      kept.put({ event: recorded(20), position: 20 })
      kept.end(new Unavailable('gone'))
      expect(await kept.take()).to.deep.include({ position: 20 })
      expect(await rejection(kept.take())).to.be.instanceOf(Unavailable)
    })
  })

  describe('under load', () => {
    let file: string
    beforeEach(async () => {
      const directory = await mkdtemp(join(tmpdir(), 'daybook-peer-'))
      undo.push(() => rm(directory, { recursive: true }))
      file = join(directory, 'events.db')
    })

    /** Eight writers and a subscriber; `disturb` is told of every append that was acknowledged. */
    async function nothingLostOrDoubled(
      store: EventStore,
      disturb: (acknowledged: number) => Promise<void> | undefined,
    ): Promise<void> {
      const streams = Array.from({ length: 8 }, () => freshStream())
      const rounds = 60
      const collecting = collect(store, 0, streams.length * rounds * 2)
      let acknowledged = 0
      let disturbing = Promise.resolve()
      const ledgers = await Promise.all(
        streams.map(async (stream) => {
          const ledger: NewEvent[] = []
          for (let round = 0; round < rounds; round++) {
            const pair = events(2)
            await store.append({ company, stream, expected: ledger.length, events: pair })
            ledger.push(...pair)
            const now = ++acknowledged
            disturbing = disturbing.then(() => disturb(now))
          }
          return ledger
        }),
      )
      await disturbing
      const collected = await collecting
      for (const [index, ledger] of ledgers.entries()) {
        const stream = streams[index] ?? ''
        expect(idsOf(await store.read(company, stream))).to.deep.equal(idsOf(ledger))
        expect(idsOf(collected.filter((event) => event.stream === stream))).to.deep.equal(idsOf(ledger))
      }
    }

    it('loses nothing and doubles nothing when the server is killed and restarted', async () => {
      let server = await spawnPeer(file, 0)
      undo.push(() => killed(server.process))
      const store = storeAt({ url: `esdb://127.0.0.1:${server.port}?tls=false` })
      await nothingLostOrDoubled(store, async (acknowledged) => {
        if (![60, 200, 350].includes(acknowledged)) return
        await killed(server.process)
        server = await spawnPeer(file, server.port)
      })
    }).timeout(60_000)

    it('loses nothing and doubles nothing when everything goes wrong in turn', async () => {
      let peer = await startPeer({ file, checkpointOnCatchUp: true })
      undo.push(() => peer.stop())
      const store = storeAt({ url: peer.url })
      const troubles: (() => Promise<void> | void)[] = [
        () => peer.faults.loseAnswers(3),
        () => peer.faults.breakConnections(),
        () => peer.writeSystemEvents(50),
        () => peer.faults.answerRepeats('conflict'),
        () => peer.faults.dropSubscribers(),
        () => peer.faults.loseAnswers(2),
        () => peer.faults.limitLiveBacklog(16),
        async () => {
          await peer.stop()
          peer = await startPeer({ file, port: peer.port, checkpointOnCatchUp: true })
        },
        () => peer.faults.answerRepeats('without position'),
      ]
      await nothingLostOrDoubled(store, async (acknowledged) => {
        if (acknowledged % 10 === 0) await troubles[(acknowledged / 10) % troubles.length]?.()
      })
    }).timeout(60_000)
  })

  it('tells a wrong address without repeating it', () => {
    expect(() => eventStoreDbStore({ url: 'http://admin:changeit@localhost:2113' }))
      .to.throw(/esdb:\/\//)
      .with.property('message')
      .that.does.not.match(/changeit/)
  })
})

/** The events after a position, in the order of the store; checks that positions increase. */
async function collect(store: EventStore, after: Position, count: number): Promise<RecordedEvent[]> {
  const collected: RecordedEvent[] = []
  let reached = after
  for await (const batch of store.subscribe(after)) {
    for (const event of batch.events) {
      expect(event.position).to.be.greaterThan(reached)
      reached = event.position
      collected.push(event)
    }
    expect(batch.position).to.be.at.least(reached)
    reached = batch.position
    if (collected.length >= count) break
  }
  return collected
}

async function batchOf(batches: AsyncIterator<EventBatch>): Promise<EventBatch> {
  const next = await batches.next()
  if (next.done) throw new Error('the subscription ended')
  return next.value
}

async function spawnPeer(file: string, port: number): Promise<{ process: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [PEER, file, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    const taken = /^PORT (\d+)$/.exec(line)?.[1]
    if (taken) return { process: child, port: Number(taken) }
  }
  throw new Error('the peer did not start')
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Looks again and again; the test's own time limit ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}

const idsOf = (events: readonly NewEvent[]): string[] => events.map(({ id }) => id)

const rejection = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    (value) => Promise.reject(new Error(`expected a rejection, got ${JSON.stringify(value)}`)),
    (reason: unknown) => reason,
  )
