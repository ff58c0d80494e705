import { expect } from 'chai'
import { passwordFault, passwords } from '../../../src/identity/secrets/passwords.ts'

const COMPANY = 'company-1'

describe('passwords', () => {
  it('are kept as argon2id with what OWASP recommends, salted, and are found right or wrong', async () => {
    const { hash, verify } = passwords()
    const [one, other] = [await hash('correct horse', COMPANY), await hash('correct horse', COMPANY)]
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(one).to.not.equal(other)
    expect(await verify('correct horse', one, COMPANY)).to.equal(true)
    for (const wrong of ['correct hors', 'correct horse ', 'Correct horse', '']) {
      expect(await verify(wrong, one, COMPANY), wrong).to.equal(false)
      expect(await verify(wrong, undefined, COMPANY), wrong).to.equal(false)
    }
  })

  it('are hashes of a known form: what others have made verifies too', async () => {
    // RFC 9106's reference implementation: echo -n "password" | argon2 somesalt -id -t 2 -m 16 -p 1 -e
    const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await passwords().verify('password', reference, COMPANY)).to.equal(true)
  })

  it('have 8 to 256 characters, however many bytes', () => {
    for (const right of ['12345678', 'x'.repeat(256), '😀'.repeat(256)])
      expect(passwordFault('Password', right)).to.equal(undefined)
    for (const wrong of [
      '',
      '1234567',
      '😀'.repeat(7),
      'x'.repeat(257),
      '😀'.repeat(257),
      'x'.repeat(1_000_000),
      1,
      null,
      {},
    ])
      expect(passwordFault('Password', wrong)).to.have.property('Field', 'Password')
  })
})
