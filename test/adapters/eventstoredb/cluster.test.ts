/** A cluster of EventStoreDB whose nodes fail, fall silent, or are cut off from one another. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Notice } from '../../../src/adapters/eventstoredb/subscription.ts'
import type { Pause } from '../../../src/adapters/eventstoredb/silence.ts'
import { goesSilent } from '../../../src/adapters/eventstoredb/silence.ts'
import { startPeer } from '../../peers/eventstoredb/start-peer.ts'
import { collect, idsOf, storesOnPeers, until } from '../stores-on-peers.ts'

/** Rests only as long as it takes to let others go on. */
const impatient: Pause = () => new Promise((resolve) => setImmediate(resolve))

describe('the event store on a cluster of EventStoreDB', () => {
  const { company, stream, peerOf, storeAt, afterwards, event, append } = storesOnPeers()

  /** Two nodes with the same log. */
  async function twoNodes() {
    const directory = await mkdtemp(join(tmpdir(), 'daybook-peer-'))
    afterwards(() => rm(directory, { recursive: true }))
    const file = join(directory, 'events.db')
    return [await peerOf({ file }), await peerOf({ file })] as const
  }

  it('is found by any of the nodes that are asked, while others are gone or silent', async () => {
    const gone = await startPeer()
    await gone.stop()
    const silent = await peerOf()
    silent.faults.fallSilent()
    const leader = await peerOf()
    const [a, b, c] = [gone, silent, leader].map(({ port }) => `127.0.0.1:${port}`)
    for (const nodes of [`${a},${b},${c}`, `${c},${b},${a}`]) {
      const began = performance.now()
      await storeAt({ url: `esdb+discover://${nodes}?tls=false` }).head()
      expect(performance.now() - began).to.be.lessThan(900) // nobody waited for the silent one
    }
  })

  it('has no leader until the node that is named says so itself', async () => {
    const [old, next] = [await peerOf(), await peerOf()]
    old.faults.fallSilent()
    next.faults.nameLeader(old.port)
    const store = storeAt({ url: `esdb://127.0.0.1:${next.port},127.0.0.1:${old.port}?tls=false` })
    const head = store.head()
    await until(() => old.observed().connections > 0)
    next.faults.nameLeader(undefined)
    expect(await head).to.equal(0)
    expect(next.observed().connections).to.be.greaterThan(0)
  })

  it('is left by appends and reads when the node has lost the others and does not say why', async () => {
    const [lost, next] = await twoNodes()
    next.faults.nameLeader(lost.port)
    const store = storeAt({ url: `esdb://127.0.0.1:${lost.port},127.0.0.1:${next.port}?tls=false` })
    await append(store, 0, event())
    lost.faults.loseQuorum()
    next.faults.nameLeader(undefined)
    const second = event()
    expect(await append(store, 1, second)).to.include({ version: 2 })
    expect(idsOf(await store.read(company, stream(), 1))).to.deep.equal([second.id])
  })

  it('is followed at the leader, not at the node that was asked', async () => {
    const [follower, leader] = await twoNodes()
    follower.faults.nameLeader(leader.port)
    const store = storeAt({ url: follower.url })
    const collecting = collect(store, 0, 1)
    await until(() => leader.observed().subscribers === 1)
    await append(storeAt({ url: leader.url }), 0, event())
    expect(await collecting).to.have.length(1)
    expect(follower.observed().subscribers).to.equal(0)
  })

  it('is followed elsewhere when the node says nothing more and no longer leads', async () => {
    const [old, next] = await twoNodes()
    const store = storeAt({ url: old.url, pause: impatient })
    const collecting = collect(store, 0, 1)
    await until(() => old.observed().subscribers === 1)
    old.faults.standStill()
    old.faults.nameLeader(next.port)
    const one = event()
    await append(storeAt({ url: next.url }), 0, one)
    expect(idsOf(await collecting)).to.deep.equal([one.id])
  })

  it('is followed by a new connection when what the leader has does not come, and that is noticed', async () => {
    const peer = await peerOf()
    const notices: Notice[] = []
    const store = storeAt({ url: peer.url, pause: impatient, notice: (notice) => notices.push(notice) })
    const collecting = collect(store, 0, 1)
    await until(() => peer.observed().subscribers === 1)
    peer.faults.standStill()
    const one = event()
    await append(store, 0, one)
    expect(idsOf(await collecting)).to.deep.equal([one.id])
    expect(notices.map(({ kind }) => kind)).to.deep.equal(['silent'])
  })

  describe('a subscription', () => {
    /** What is watched, and how long it has rested. */
    function watched({ head, heard = () => 0 }: { head: () => Promise<number>; heard?: () => number }) {
      const over = new AbortController()
      let rested = 0
      const pause: Pause = async (ms) => {
        rested += ms
        if (rested > 60_000) over.abort()
      }
      const silent = goesSilent({ heard, reached: () => 10, head, pause }, over.signal)
      return silent.then((is) => ({ is, rested }))
    }

    it('is silent three seconds after the last word if the leader has more', async () => {
      expect(await watched({ head: async () => 11 })).to.deep.equal({ is: true, rested: 3_000 })
    })

    it('is not silent as long as the leader has no more, or cannot be asked', async () => {
      expect(await watched({ head: async () => 10 })).to.include({ is: false })
      expect(await watched({ head: () => Promise.reject(new Error('away')) })).to.include({ is: false })
    })

    it('is not silent as long as it says anything, be it only that it looks through events of the server', async () => {
      let said = 0
      expect(await watched({ head: async () => 11, heard: () => ++said })).to.include({ is: false })
    })
  })
})
