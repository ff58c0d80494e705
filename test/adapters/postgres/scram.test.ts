/** The verifier of a password, by the example of RFC 7677: it proves the server's signature and knows the client's proof. */
import { createHash, createHmac } from 'node:crypto'
import { expect } from 'chai'
import { scramVerifier } from '../../../src/adapters/postgres/warehouse/scram.ts'

const SALT = 'W22ZaJ0SNY7soEsUEjb6gQ=='
const CLIENT = 'rOprNGfwEbeRWgbNEkqO'
const BOTH = `${CLIENT}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0`
const MESSAGE = `n=user,r=${CLIENT},r=${BOTH},s=${SALT},i=4096,c=biws,r=${BOTH}`
const PROOF = 'dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ='
const SIGNATURE = '6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4='

const signed = (key: string | Buffer) =>
  createHmac('sha256', typeof key === 'string' ? Buffer.from(key, 'base64') : key)
    .update(MESSAGE)
    .digest()

describe('what PostgreSQL keeps of a password', () => {
  const [, stored, server] = /^SCRAM-SHA-256\$4096:[^$]+\$([^:]+):(.+)$/.exec(
    scramVerifier('pencil', Buffer.from(SALT, 'base64')),
  )!

  it('signs what the server says', () => expect(signed(server!).toString('base64')).to.equal(SIGNATURE))

  it('knows who has the password by its proof', () => {
    const proof = Buffer.from(PROOF, 'base64')
    const key = signed(stored!).map((byte, i) => byte ^ proof[i]!)
    expect(createHash('sha256').update(key).digest('base64')).to.equal(stored)
  })

  it('has a salt of its own each time', () =>
    expect(scramVerifier('pencil')).not.to.equal(scramVerifier('pencil')))
})
