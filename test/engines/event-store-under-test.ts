/** The EventStoreDB of a test run: the server that `EVENTSTORE_URL` names, else our peer over a real socket. */
import { startPeer, type Peer } from '../peers/eventstoredb/start-peer.ts'

export interface EventStoreUnderTest {
  start(): Promise<void>
  url(): string
  /** Ends the peer; a server that was given stays. */
  stop(): Promise<void>
}

export function eventStoreUnderTest(): EventStoreUnderTest {
  const given = process.env['EVENTSTORE_URL']
  let peer: Peer | undefined
  return {
    async start() {
      if (!given) peer = await startPeer()
    },
    url: () => given ?? peer!.url,
    async stop() {
      await peer?.stop()
    },
  }
}
