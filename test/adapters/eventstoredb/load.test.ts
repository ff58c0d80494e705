/** Many writers and a subscriber on EventStoreDB, while everything goes wrong. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import type { NewEvent } from '../../../src/domain/events/event.ts'
import type { EventStore } from '../../../src/ports/event-store.ts'
import { startPeer } from '../../peers/eventstoredb/start-peer.ts'
import { freshStream } from '../../support/events.ts'
import { collect, idsOf, storesOnPeers } from '../stores-on-peers.ts'

describe('the event store on EventStoreDB', () => {
  const { company, storeAt, afterwards, events } = storesOnPeers()

  describe('under load', () => {
    let file: string
    beforeEach(async () => {
      const directory = await mkdtemp(join(tmpdir(), 'daybook-peer-'))
      afterwards(() => rm(directory, { recursive: true }))
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
      afterwards(() => killed(server.process))
      const store = storeAt({ url: `esdb://127.0.0.1:${server.port}?tls=false` })
      await nothingLostOrDoubled(store, async (acknowledged) => {
        if (![60, 200, 350].includes(acknowledged)) return
        await killed(server.process)
        server = await spawnPeer(file, server.port)
      })
    }).timeout(60_000)

    it('loses nothing and doubles nothing when everything goes wrong in turn', async () => {
      let peer = await startPeer({ file, checkpointOnCatchUp: true })
      afterwards(() => peer.stop())
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
})

const PEER = join(import.meta.dirname, '..', '..', 'peers', 'eventstoredb', 'main.ts')

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
