import { expect } from 'chai'
import { Unavailable } from '../../../src/domain/errors.ts'
import { passwordFault, passwords } from '../../../src/identity/secrets/passwords.ts'

describe('passwords', () => {
  it('are kept as argon2id with what OWASP recommends, salted, and are found right or wrong', async () => {
    const { hash, verify } = passwords()
    const [one, other] = [await hash('correct horse'), await hash('correct horse')]
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(one).to.not.equal(other)
    expect(await verify('correct horse', one)).to.equal(true)
    for (const wrong of ['correct hors', 'correct horse ', 'Correct horse', '']) {
      expect(await verify(wrong, one), wrong).to.equal(false)
      expect(await verify(wrong, undefined), wrong).to.equal(false)
    }
  })

  it('are hashes of a known form: what others have made verifies too', async () => {
    // RFC 9106's reference implementation: echo -n "password" | argon2 somesalt -id -t 2 -m 16 -p 1 -e
    const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await passwords().verify('password', reference)).to.equal(true)
  })

  it('are hashed one at a time; those that wait are served in turn, and past the queue refused', async () => {
    const { hash } = passwords({ waiting: 3 })
    const done: number[] = []
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, async (_, i) => {
        await hash(`password ${i}`)
        done.push(i)
      }),
    )
    expect(done).to.deep.equal([0, 1, 2, 3])
    const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    expect(refused.map(({ reason }) => reason instanceof Unavailable)).to.deep.equal([true, true])
    expect(await hash('password')).to.match(/^\$argon2id/)
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
