/** Logs of EventStoreDB in which there is more than the service has written, or less. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { expect } from 'chai'
import { SYSTEM } from '../../../src/domain/events/event.ts'
import { STORE, storeOpened } from '../../../src/domain/events/store-opened.ts'
import type { EventStore } from '../../../src/ports/event-store.ts'
import { randomUUID } from 'node:crypto'
import { streamOf } from '../../../src/domain/events/stream-name.ts'
import { AppendRefused, Damaged, isTooLarge } from '../../../src/adapters/eventstoredb/outcomes.ts'
import { recorded, type ServerEvent } from '../../../src/adapters/eventstoredb/recorded.ts'
import type { Notice } from '../../../src/adapters/eventstoredb/subscription.ts'
import { Denied, TooLarge, Unavailable } from '../../../src/domain/errors.ts'
import { newKey } from '../../support/told-events.ts'
import { batchOf, collect, idsOf, rejection, storesOnPeers, until } from '../stores-on-peers.ts'

describe('the event store on EventStoreDB, in a log', () => {
  const { company, stream, peerOf, storeAt, afterwards, event, events, append } = storesOnPeers()

  async function otherApplication(url: string) {
    const client = EventStoreDBClient.connectionString(url)
    afterwards(() => client.dispose())
    return (name: string, metadata: Record<string, unknown> = {}) =>
      client.appendToStream(name, jsonEvent({ type: 'order-placed', data: { total: 3 }, metadata }), {
        expectedRevision: NO_STREAM,
      })
  }

  it('passes over events of others, also in streams that are named like records', async () => {
    const peer = await peerOf()
    const place = await otherApplication(peer.url)
    const notices: Notice[] = []
    const store = storeAt({ url: peer.url, notice: (notice) => notices.push(notice) })
    const foreign = newKey('order')
    await place(streamOf(company, foreign))
    await place(streamOf(company, newKey('order')), { company, $correlationId: 'theirs' })
    await place(newKey('order')) // without a shard, so not named like a record
    await place('anything')
    const one = event()
    await append(store, 0, one)
    expect(idsOf(await collect(store, 0, 1))).to.deep.equal([one.id])
    expect(await store.read(company, foreign)).to.deep.equal([])
    expect(await store.last(company, foreign)).to.equal(undefined)
    expect(notices.map(({ kind }) => kind)).to.deep.equal(['foreign', 'foreign'])
  })

  it('refuses to begin a store in events of an earlier version, which had no shards', async () => {
    const peer = await peerOf()
    const place = await otherApplication(peer.url)
    const begin = (store: EventStore) =>
      store.append({ company: SYSTEM, stream: STORE, expected: 0, events: [storeOpened(randomUUID(), 0)] })
    await place('bootstrap')
    const earlier = await peerOf()
    await (
      await otherApplication(earlier.url)
    )('bootstrap', {
      company: SYSTEM,
      actor: SYSTEM,
      command: 'bootstrap',
      schema: 1,
    })
    expect((await begin(storeAt({ url: peer.url }))).version, "another application's").to.equal(1)
    const refused = await rejection(begin(storeAt({ url: earlier.url })))
    expect(refused).not.to.be.instanceOf(Unavailable)
    expect(String(refused)).to.include('EVENTSTORE_URL').and.to.include('earlier version')
  })

  const stored = (given: Partial<ServerEvent> = {}): ServerEvent => {
    const { id, type, data, metadata } = event()
    return {
      ...{ id, type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) },
      ...{
        stream: streamOf(company, stream()),
        revision: 0,
        isJson: true,
        position: { commit: 5, prepare: 5 },
      },
      ...given,
    }
  }

  it('marks events of this service that cannot be read, and does not drop them', () => {
    expect(recorded(stored({ data: '{' }))).to.have.property('unreadable')
    expect(recorded(stored({ isJson: false }))).to.have.property('unreadable')
    expect(recorded(stored({ metadata: '{' }))).to.equal(undefined)
  })

  it('does not go past an event of this service that has no position of its own', () => {
    expect(() => recorded(stored({ position: { commit: 9, prepare: 5 } }))).to.throw(Damaged)
    expect(recorded(stored({ position: { commit: 9, prepare: 5 }, metadata: '{}' }))).to.equal(undefined)
  })

  it('notices that the first events of a stream were taken away', async () => {
    const peer = await peerOf()
    const store = storeAt({ url: peer.url })
    await append(store, 0, ...events(5))
    peer.cutStream(streamOf(company, stream()), 3)
    const error = await rejection(store.read(company, stream()))
    expect(error)
      .to.be.instanceOf(Damaged)
      .and.to.have.property('message')
      .that.matches(/version 1 .*\$maxCount/)
    expect(await store.read(company, stream(), 3)).to.have.length(2)
  })

  it('looks through the events that the server writes for itself once, not at every look at the head', async () => {
    const peer = await peerOf()
    const store = storeAt({ url: peer.url })
    const { position } = await append(store, 0, event())
    await peer.writeSystemEvents(1_000)
    expect(await store.head()).to.equal(position)
    const sent = peer.observed().sent
    expect(await store.head()).to.equal(position)
    await peer.writeSystemEvents(5)
    expect(await store.head()).to.equal(position)
    // One event to see that there are no more; then one, and the first hundred.
    expect(peer.observed().sent - sent).to.be.at.most(1 + 1 + 100)
    const later = await append(store, 1, event())
    expect(await store.head()).to.equal(later.position)
  })

  it('that it may not read as a whole says so, and takes appends', async () => {
    const peer = await peerOf()
    const store = storeAt({ url: peer.url })
    peer.faults.denyAll()
    expect(await append(store, 0, event())).to.include({ version: 1 })
    expect(await rejection(store.head())).to.be.instanceOf(Denied)
    expect(await store.read(company, stream())).to.have.length(1)
  })

  it('is at its new, earlier end after the server was restored', async () => {
    const peer = await peerOf()
    const store = storeAt({ url: peer.url })
    const first = await append(store, 0, event())
    await append(store, 1, ...events(3))
    await peer.stop()
    const restored = await peerOf({ port: peer.port })
    await append(storeAt({ url: restored.url }), 0, event())
    expect(await store.head()).to.be.at.most(first.position)
  })

  describe('that was replaced while it was followed', () => {
    async function following() {
      const directory = await mkdtemp(join(tmpdir(), 'daybook-peer-'))
      afterwards(() => rm(directory, { recursive: true }))
      const [file, older] = ['events.db', 'older.db'].map((name) => join(directory, name)) as [string, string]
      const peer = await peerOf({ file })
      const notices: Notice[] = []
      const store = storeAt({
        url: peer.url,
        notice: (notice) => notices.push(notice),
        pause: () => new Promise((resolve) => setImmediate(resolve)),
      })
      await append(store, 0, ...events(3))
      // A machine that is busy may make a server look silent first.
      const passing: readonly string[] = ['interrupted', 'silent']
      const kinds = () => notices.map(({ kind }) => kind).filter((kind) => !passing.includes(kind))
      return { peer, file, older, store, kinds }
    }

    it('is noticed by the event received last, also when the log has grown past it', async () => {
      const { peer, file, older, store, kinds } = await following()
      await backup(new DatabaseSync(file, { readOnly: true }), older)
      const { position } = await append(store, 3, event())
      const batches = store.subscribe(0)[Symbol.asyncIterator]()
      while ((await batchOf(batches)).position < position);
      const waiting = rejection(batches.next())
      await peer.stop()
      const restored = await peerOf({ file: older, port: peer.port })
      await append(storeAt({ url: restored.url }), 3, ...events(30))
      expect(await waiting).to.be.instanceOf(Unavailable)
      expect(kinds()).to.deep.equal(['replaced'])
    })

    it('is noticed by its length when nothing was received', async () => {
      const { peer, older, store, kinds } = await following()
      const waiting = rejection(collect(store, await store.head(), 1))
      await until(() => peer.observed().subscribers === 1)
      await peer.stop()
      await peerOf({ file: older, port: peer.port })
      expect(await waiting).to.be.instanceOf(Unavailable)
      expect(kinds()).to.deep.equal(['replaced'])
    })

    it('is not taken for replaced when the server was only away', async () => {
      const { peer, file, store, kinds } = await following()
      const collecting = collect(store, 0, 4)
      await until(() => peer.observed().subscribers === 1)
      await peer.stop()
      await peerOf({ file, port: peer.port })
      await append(store, 3, event())
      expect(await collecting).to.have.length(4)
      expect(kinds()).to.deep.equal(['resumed'])
    })
  })

  it('refuses what is too large for a setting of the server, by whichever limit', async () => {
    for (const reason of ['MaximumAppendSizeExceeded', 'MaximumAppendEventSizeExceeded']) {
      const peer = await peerOf()
      peer.faults.refuseAppends(reason)
      expect(await rejection(append(storeAt({ url: peer.url }), 0, event()))).to.be.instanceOf(TooLarge)
      expect(peer.observed().appends).to.equal(1)
    }
  })

  it('does not take a server that asks for fewer calls for one that finds an append too large', () => {
    const RESOURCE_EXHAUSTED = 8
    const exhausted = (message: string) => Object.assign(new Error(message), { code: RESOURCE_EXHAUSTED })
    expect(
      isTooLarge(exhausted('8 RESOURCE_EXHAUSTED: Bandwidth exhausted or memory limit exceeded')),
    ).to.equal(false)
    expect(
      isTooLarge(
        exhausted('8 RESOURCE_EXHAUSTED: Received message exceeds the maximum configured message size.'),
      ),
    ).to.equal(true)
    expect(isTooLarge(new AppendRefused('Timeout', ''))).to.equal(false)
  })
})
