/** Signatures hold before verifiers that others wrote. */
import { createHmac } from 'node:crypto'
import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { generateSecret, signatureHeaders } from '../../src/webhooks/signing.ts'

const HEADER = 'X-Hub-Signature-256'
const now = () => Math.floor(Date.now() / 1_000)
const body = fc.json({ maxDepth: 3 }).map((json) => `{"Event":"contract.created","Data":${json}}`)
const plain = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  .filter((text) => text.isWellFormed() && !text.startsWith('whsec_'))
const standard = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`)

const signed = (text: string, secrets: readonly string[], timestamp = now()) =>
  signatureHeaders({ body: text, id: 'msg_1', timestamp, secrets, signatureHeader: HEADER })

describe('signatures', () => {
  it('of the specification are verified by @octokit/webhooks-methods', () =>
    fc.assert(
      fc.asyncProperty(body, fc.oneof(plain, standard), async (text, secret) => {
        const signature = signed(text, [secret])[HEADER]!
        expect(signature).to.match(/^sha256=[0-9a-f]{64}$/)
        expect(await verify(secret, text, signature)).to.equal(true)
        expect(await verify(secret, `${text} `, signature)).to.equal(false)
        expect(await verify(`${secret}x`, text, signature)).to.equal(false)
      }),
      { numRuns: 200 },
    ))

  it('of Standard Webhooks are verified by standardwebhooks, with secrets of either kind', () =>
    fc.assert(
      fc.property(body, fc.oneof(plain, standard), (text, secret) => {
        const headers = { ...signed(text, [secret]) }
        const verifier = secret.startsWith('whsec_')
          ? new Webhook(secret)
          : new Webhook(Buffer.from(secret), { format: 'raw' })
        expect(verifier.verify(text, headers)).to.deep.equal(JSON.parse(text))
        expect(() => verifier.verify(`${text} `, headers)).to.throw()
        expect(() => verifier.verify(text, { ...headers, 'webhook-id': 'msg_2' })).to.throw()
      }),
      { numRuns: 200 },
    ))

  it('are by both secrets while the old one is valid, by the new one where there is room for one', async () => {
    const [fresh, old] = [generateSecret(), generateSecret()]
    const headers = { ...signed('{}', [fresh, old]) }
    for (const secret of [fresh, old]) new Webhook(secret).verify('{}', headers)
    expect(await verify(fresh, '{}', headers[HEADER]!)).to.equal(true)
    expect(await verify(old, '{}', headers[HEADER]!)).to.equal(false)
    expect(headers['webhook-signature']!.split(' ')).to.have.length(2)
  })

  it('take a secret that only looks like one of Standard Webhooks as it is written', () => {
    const secret = 'whsec_not base64!'
    const expected = createHmac('sha256', secret).update('msg_1.7.{}').digest('base64')
    expect(signed('{}', [secret], 7)['webhook-signature']).to.equal(`v1,${expected}`)
  })

  it('have secrets that nobody can guess', () => {
    const secrets = new Set(Array.from({ length: 100 }, () => generateSecret()))
    expect(secrets.size).to.equal(100)
    for (const secret of secrets) expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
  })
})
