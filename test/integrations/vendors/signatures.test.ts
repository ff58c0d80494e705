/** Messages signed, or believed, by the vendors’ own libraries (scripts/integrations/sign-by-vendors.ts): the shipped files judge them alike. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { integrationFile } from '../../../src/integrations/definition/integration-schema.ts'
import { payloadOf } from '../../../src/integrations/receive/payload.ts'
import { doubtOf } from '../../../src/integrations/verify/verify.ts'

interface Signed {
  readonly by: string
  readonly credential: string
  readonly secret: string
  readonly url?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const read = (path: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8'))
const vectors = read('signed.json') as Readonly<Record<string, Signed>>
const URL_OF = 'https://records.example.com/api/v1/in/integration-1/events'

describe('a message that is signed as the library of the vendor signs', () => {
  it('is there for the three that are not tested by their library itself', () =>
    expect(Object.keys(vectors)).to.deep.equal(['adyen', 'square', 'gocardless']))

  for (const [vendor, { by, credential, secret, url = URL_OF, headers, body }] of Object.entries(vectors)) {
    const [entry] = integrationFile.parse(read(`../../../definitions/integrations/${vendor}.json`)).receive
    const doubt = (given: { body?: string; url?: string; secret?: string; headers?: Signed['headers'] }) => {
      const bytes = Buffer.from(given.body ?? body)
      const inbound = {
        method: 'POST',
        url: given.url ?? url,
        headers: given.headers ?? headers,
        body: bytes,
      }
      return doubtOf(entry!.verify, {
        inbound,
        payload: payloadOf(entry!, bytes, 0),
        secrets: (name) => (name === credential ? [given.secret ?? secret] : []),
        now: 0,
      })
    }

    it(`is believed: ${by}`, () => expect(doubt({})).to.equal(undefined))

    it(`is not believed once anything that is signed is another: ${by}`, () => {
      expect(doubt({ secret: secret.replace(/[0-9]/, (digit) => String((Number(digit) + 1) % 10)) })).to.be.a(
        'string',
      )
      const values = [
        ...body.matchAll(/"(?:pspReference|merchantReference|eventCode|success|id|event_id|action)":"(\w)/g),
      ]
      expect(values.length).to.be.above(0)
      for (const { index, 0: text } of values) {
        const at = index + text.length - 1
        const changed = `${body.slice(0, at)}${body[at] === 'x' ? 'y' : 'x'}${body.slice(at + 1)}`
        expect(doubt({ body: changed }), changed).to.be.a('string')
      }
      const others = Object.entries(headers).map(
        ([name, value]) => [name, `${value.slice(0, -2)}00`] as const,
      )
      for (const [name, value] of others)
        expect(doubt({ headers: { ...headers, [name]: value } }), name).to.be.a('string')
    })
  }
})
