/** Appends to EventStoreDB when a server fails, which only the peer does on request. */
import { expect } from 'chai'
import { correlationOf } from '../../../src/adapters/eventstoredb/append-messages.ts'
import { Denied, Unavailable } from '../../../src/domain/errors.ts'
import { VersionConflict } from '../../../src/ports/event-store.ts'
import { shared, streams } from '../../peers/eventstoredb/generated.ts'
import { startPeer } from '../../peers/eventstoredb/start-peer.ts'
import { freshStream, newEvent, newEvents } from '../../support/events.ts'
import { tcpProxy } from '../../support/tcp-proxy.ts'
import { batchOf, idsOf, rejection, storesOnPeers, until } from '../stores-on-peers.ts'

describe('the event store on EventStoreDB, when things go wrong', () => {
  const { company, stream, peerOf, storeAt, afterwards, event, events, append } = storesOnPeers()

  describe('an append', () => {
    it('that was written but never acknowledged is found and answered, once', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url })
      const appended = events(3)
      await append(store, 0, event())
      peer.faults.loseAnswers(1)
      const answer = await append(store, 1, ...appended)
      const read = await store.read(company, stream(), 1)
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
      const read = await store.read(company, stream())
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
      expect(await store.read(company, stream())).to.have.length(3)
    })

    it('is resolved when the server falls silent for less than its time', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url, timeoutMs: 1_500 })
      peer.faults.fallSilent()
      const appending = append(store, 0, ...events(2))
      await until(() => peer.observed().appends >= 2) // the first attempt was given up
      peer.faults.speak()
      expect(await appending).to.include({ version: 2 })
      expect(await store.read(company, stream())).to.have.length(2)
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
      expect(await rejection(store.read(company, stream()))).to.be.instanceOf(Unavailable)
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
      afterwards(() => proxy.stop())
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
      expect(idsOf(await store.read(company, stream()))).to.deep.equal(
        idsOf(await atLeader.read(company, stream())),
      )
      expect(await store.head()).to.equal(await atLeader.head())
    })

    it('is not tried again when the server refuses it', async () => {
      const peer = await peerOf()
      const store = storeAt({ url: peer.url })
      peer.faults.denyAccess()
      const calls = [append(store, 0, event()), store.read(company, stream()), store.head()].map(rejection)
      for (const error of await Promise.all(calls)) {
        expect(error)
          .to.be.instanceOf(Denied)
          .and.to.have.property('message')
          .that.matches(/denies access/)
      }
      expect(peer.observed().appends).to.equal(1)
    })

    it('may be larger than one message of the protocol', async () => {
      const store = storeAt({ url: (await peerOf()).url })
      const appended = newEvents(4_000, { company, metadata: { $causationId: 'x'.repeat(1_000) } })
      expect(await append(store, 0, ...appended)).to.include({ version: 4_000 })
      expect(await store.read(company, stream())).to.have.length(4_000)
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
      expect(await store.read(company, stream())).to.deep.equal([])
    })
  })
})
