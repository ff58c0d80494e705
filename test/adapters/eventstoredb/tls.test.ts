/** TLS to EventStoreDB: a node may be named by name or by address, and its certificate has to name it in the same way. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { Unavailable } from '../../../src/domain/errors.ts'
import { rejection, storesOnPeers } from '../stores-on-peers.ts'

const folder = join(import.meta.dirname, '..', '..', 'support', 'tls')
const pem = (name: string) => readFileSync(join(folder, `${name}.pem`))
const ca = join(folder, 'event-store-ca.pem')

describe('the event store on EventStoreDB, over TLS', () => {
  const { stream, company, peerOf, storeAt, event, append } = storesOnPeers()

  /** A peer whose certificate names it by its address, or by the name `localhost`. */
  const certified = (by: 'address' | 'name') =>
    peerOf({ tls: { cert: pem(`event-store-${by}-cert`), key: pem(`event-store-${by}-key`) } })

  it('reaches a node that is named by its address, as its certificate names it', async () => {
    const { port } = await certified('address')
    const store = storeAt({ url: `esdb://127.0.0.1:${port}?tls=true&tlsCAFile=${ca}` })
    await append(store, 0, event())
    expect(await store.read(company, stream())).to.have.length(1)
  })

  it('reaches a node that is named by its name', async () => {
    const { port } = await certified('name')
    const store = storeAt({ url: `esdb://localhost:${port}?tls=true&tlsCAFile=${ca}` })
    expect(await append(store, 0, event())).to.include({ version: 1 })
  })

  it('finds the leader by the address that the nodes name', async () => {
    const { port } = await certified('address')
    const store = storeAt({ url: `esdb+discover://127.0.0.1:${port}?tls=true&tlsCAFile=${ca}` })
    expect(await append(store, 0, event())).to.include({ version: 1 })
  })

  it('does not talk to a node whose certificate does not name its address', async () => {
    const { port } = await certified('name')
    const url = `esdb://127.0.0.1:${port}?tls=true&tlsCAFile=${ca}`
    const error = await rejection(append(storeAt({ url, timeoutMs: 4_000 }), 0, event()))
    expect(error)
      .to.be.instanceOf(Unavailable)
      .and.to.have.property('message')
      .that.matches(/127\.0\.0\.1/)
  })

  it('does not talk to a node whose certificate is of an unknown authority', async () => {
    const { port } = await certified('address')
    const url = `esdb://127.0.0.1:${port}?tls=true`
    expect(await rejection(append(storeAt({ url, timeoutMs: 500 }), 0, event()))).to.be.instanceOf(
      Unavailable,
    )
  })
})
