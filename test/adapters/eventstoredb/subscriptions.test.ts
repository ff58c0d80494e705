/** Subscriptions to EventStoreDB when a server fails, which only the peer does on request. */
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { expect } from 'chai'
import { streamOf } from '../../../src/domain/events/stream-name.ts'
import { backlog } from '../../../src/adapters/eventstoredb/backlog.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import type { Position, RecordedEvent } from '../../../src/domain/events/event.ts'
import { freshStream } from '../../support/events.ts'
import { tcpProxy } from '../../support/tcp-proxy.ts'
import { batchOf, collect, idsOf, rejection, storesOnPeers, until } from '../stores-on-peers.ts'

describe('the event store on EventStoreDB, when things go wrong', () => {
  const { company, stream, peerOf, storeAt, afterwards, event, events, append } = storesOnPeers()

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
      afterwards(() => proxy.stop())
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
      await others.appendToStream(streamOf(company, stream()), named ?? [], { expectedRevision: 0n })
      await others.appendToStream(freshStream(), listed ?? [], { expectedRevision: NO_STREAM })
      await others.dispose()
      await peer.writeSystemEvents(100)
      const head = await store.head()
      const collected: RecordedEvent[] = []
      for await (const batch of store.subscribe(0)) {
        collected.push(...batch.events)
        if (batch.position >= head) break
      }
      expect(idsOf(collected)).to.deep.equal(idsOf(await store.read(company, stream())))
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
      const { position } = await append(store, 0, event())
      await append(store, 1, event())
      // Inside the first of them, as after a restore.
      expect(await rejection(collect(store, position + 1, 1))).to.be.instanceOf(Unavailable)
    })

    it('says when it is interrupted and when it goes on', async () => {
      const peer = await peerOf()
      const said: string[] = []
      const store = storeAt({ url: peer.url, notice: ({ message }) => said.push(message) })
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
    const recorded = (position: Position): RecordedEvent => ({
      ...event(),
      stream: stream(),
      version: 1,
      position,
    })

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
})
