/** Connection strings to EventStoreDB: what is taken from them, and what is refused before anything is opened. */
import { expect } from 'chai'
import { parseAddress } from '../../../src/adapters/eventstoredb/address.ts'

describe('the address of an EventStoreDB', () => {
  const nodes = (url: string) => parseAddress(url).nodes.map(({ host, port }) => `${host}:${port}`)

  it('names one node or several, with ports or without', () => {
    expect(nodes('esdb://one')).to.deep.equal(['one:2113'])
    expect(nodes('kurrentdb://one:1,two:2,10.0.0.3/?tls=false')).to.deep.equal([
      'one:1',
      'two:2',
      '10.0.0.3:2113',
    ])
    expect(nodes('esdb://[::1]:2114,[fe80::1]')).to.deep.equal(['[::1]:2114', '[fe80::1]:2113'])
  })

  it('asks the nodes who leads when there are several, or when it says so, and then each of them', () => {
    expect(parseAddress('esdb://one').discovers).to.equal(false)
    expect(parseAddress('esdb://one,two').discovers).to.equal(true)
    expect(parseAddress('esdb+discover://one').discovers).to.equal(true)
    expect(nodes('esdb+discover://one:1,two:2,three:3')).to.deep.equal(['one:1', 'two:2', 'three:3'])
  })

  it('asks each node for one second unless told otherwise', () => {
    expect(parseAddress('esdb://a,b').discovery).to.deep.equal({ attempts: 10, timeout: 1_000, pause: 100 })
    const { discovery } = parseAddress(
      'esdb://a,b?gossipTimeout=3&maxDiscoverAttempts=2&discovery_interval=50',
    )
    expect(discovery).to.deep.equal({ attempts: 2, timeout: 3_000, pause: 50 })
  })

  it('takes credentials, also with letters that have a meaning in an address, and sends them over TLS only', () => {
    const { authorization } = parseAddress('esdb://ops:p%40ss%3Aword@one')
    expect(authorization).to.equal(`Basic ${Buffer.from('ops:p@ss:word').toString('base64')}`)
    expect(parseAddress('esdb://ops:secret@one?tls=false')).not.to.have.property('authorization')
  })

  it('is refused, without being repeated, when it cannot be used', () => {
    const wrong = {
      'http://ops:secret@one': /esdb:\/\//,
      'esdb://': /esdb:\/\//,
      'esdb://ops:secret@one:port': /esdb:\/\//,
      'esdb://ops:secret@one,': /esdb:\/\//,
      'esdb://ops:secret@one?colour=red': /no option colour/,
      'esdb://ops:secret@one?tls=maybe': /tls must be true or false/,
      'esdb://ops:secret@one?gossipTimeout=0': /gossipTimeout must be an integer of at least 1/,
      'esdb://ops:secret@one?tlsVerifyCert=false': /always verified/,
      'esdb://ops:secret@one?tlsCAFile=/nowhere/ca.pem': /tlsCAFile cannot be read/,
      'esdb://ops:secret@one?userKeyFile=package.json': /belong together/,
    }
    for (const [url, reason] of Object.entries(wrong))
      expect(() => parseAddress(url), url)
        .to.throw(reason)
        .with.property('message')
        .that.does.not.match(/secret/)
  })
})
