/**
 * The event store on EventStoreDB: its contract, on the peer always and on the server of `EVENTSTORE_URL` when that is set.
 */
import { expect } from 'chai'
import { eventStoreDbStore } from '../../../src/adapters/eventstoredb/event-store.ts'
import { eventStoreContract } from '../../contracts/event-store.ts'
import { type Peer, startPeer } from '../../peers/eventstoredb/start-peer.ts'

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

it('the event store on EventStoreDB tells a wrong address without repeating it', () => {
  expect(() => eventStoreDbStore({ url: 'http://admin:changeit@localhost:2113' }))
    .to.throw(/esdb:\/\//)
    .with.property('message')
    .that.does.not.match(/changeit/)
})
