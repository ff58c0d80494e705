/** Where webhooks may go: nowhere inside, however it is spelt. */
import { expect } from 'chai'
import fc from 'fast-check'
import { addressRules, checkUrl, readRange } from '../../src/webhooks/addresses.ts'

const rules = addressRules([])
const opened = (...ranges: string[]) => addressRules(ranges.map((range) => readRange(range)!))

const INSIDE = [
  ...['127.0.0.1', '127.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
  ...[
    '0.0.0.0',
    '0.1.2.3',
    '100.64.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
  ],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fdff::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
  ],
  ...[
    '64:ff9b::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '100::1',
    'fec0::1',
  ],
  ...['::ffff:0:7f00:1', '3fff::1', '5f00::1', '4000::1'],
]
const OUTSIDE = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.15.0.1',
  '172.32.0.1',
  '2606:4700:4700::1111',
  '::ffff:8.8.8.8',
]

describe('an address', () => {
  for (const address of INSIDE)
    it(`${address} is not reached`, () => expect(rules.mayReach(address)).to.equal(false))
  for (const address of OUTSIDE)
    it(`${address} is reached`, () => expect(rules.mayReach(address)).to.equal(true))

  it('that is none is not reached', () => {
    for (const text of ['', 'localhost', 'example.com', '1.2.3', '1.2.3.4.5', ':::1', '1.1.1.1/8'])
      expect(rules.mayReach(text), text).to.equal(false)
  })

  it('that is opened is reached, and only that', () => {
    const some = opened('10.1.0.0/16', 'fd00::/8')
    expect(['10.1.2.3', 'fd12::1', '::ffff:10.1.2.3'].map(some.mayReach)).to.deep.equal([true, true, true])
    expect(['10.2.0.1', '127.0.0.1', 'fc00::1'].map(some.mayReach)).to.deep.equal([false, false, false])
  })
})

describe('a URL', () => {
  const fault = (text: string, by = rules) => {
    const checked = checkUrl(text, by)
    return typeof checked === 'string' ? checked : undefined
  }

  it('of a public host is taken', () => {
    for (const url of [
      'https://example.com/hook?x=1',
      'https://example.com:8443/',
      'https://1.1.1.1/',
      'https://[2606:4700::1]/',
      'https://ex%61mple.com/',
      'https://bücher.example/',
    ])
      expect(fault(url), url).to.equal(undefined)
  })

  it('of an inner address is refused in every spelling', () => {
    const loopback = [
      '127.0.0.1',
      '2130706433',
      '0x7f000001',
      '017700000001',
      '0177.0.0.1',
      '0x7f.1',
      '127.1',
      '127.0.1',
      '127.0.0.1.',
      '①②⑦.⓪.⓪.①',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:0:0:1]',
      '[64:ff9b::7f00:1]',
    ]
    const others = [
      '0',
      '0.0.0.0',
      '169.254.169.254',
      '0xa9fea9fe',
      '10.1',
      '192.168.257',
      '[fe80::1]',
      '[fd00::1]',
      '[::]',
    ]
    for (const host of [...loopback, ...others]) expect(fault(`https://${host}/`), host).to.be.a('string')
  })

  it('of an address is judged alike however its number is written', () =>
    fc.assert(
      fc.property(fc.nat({ max: 0xffffffff }), (number) => {
        const bytes = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255)
        const judged = [
          bytes.join('.'),
          String(number),
          `0x${number.toString(16)}`,
          `0${number.toString(8)}`,
          bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
          `[::ffff:${bytes.join('.')}]`,
        ].map((host) => fault(`https://${host}/`) === undefined)
        expect(new Set(judged).size, bytes.join('.')).to.equal(1)
        expect(judged[0]).to.equal(rules.mayReach(bytes.join('.')))
      }),
    ))

  it('of a name that stands for something inside is refused', () => {
    for (const host of [
      'localhost',
      'LOCALHOST',
      'localhost.',
      'a.localhost',
      'printer.local',
      'db.internal',
      'router.lan',
      'intranet',
      'x.home.arpa',
      '1.0.0.127.in-addr.arpa',
    ])
      expect(fault(`https://${host}/`), host).to.be.a('string')
  })

  it('must be https, without a user, a fragment or the port of another protocol', () => {
    for (const url of [
      'http://1.1.1.1/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://example.com/',
      'javascript:alert(1)',
      '/hook',
      '',
      'https://',
      'https://a:b@example.com/',
      'https://a@example.com/',
      'https://example.com/#x',
      'https://example.com:22/',
      'https://example.com:25/',
      'https://example.com:0/',
      'https://example.com:99999/',
    ])
      expect(fault(url), url).to.be.a('string')
  })

  it('may be http and have any port where the address is opened', () => {
    const loopback = opened('127.0.0.0/8')
    for (const url of ['http://127.0.0.1:8080/', 'http://2130706433/', 'http://127.0.0.1:81/'])
      expect(fault(url, loopback), url).to.equal(undefined)
    expect(fault('http://1.1.1.1/', loopback)).to.equal('must begin with https://')
    expect(fault('http://localhost:8080/', loopback)).to.equal(undefined)
  })
})
