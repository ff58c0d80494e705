/**
 * How a message proves where it comes from, as data. Several schemes in one list must all hold.
 *
 *     { "hmac": "sha256", "secret": "webhookSecret", "from": { "header": "stripe-signature" },
 *       "split": { "by": ",", "pair": "=", "take": "v1" }, "encoding": "hex",
 *       "content": [{ "token": "t" }, { "text": "." }, "body"], "timestamp": { "token": "t", "unit": "s", "tolerance": 300 } }
 */
import { z } from 'zod'
import { credentialName, headerName, path } from './names.ts'

/** A piece of what was signed. `token`: of a split signature. `field`: of the item, where each item is signed. */
const piece = z.union([
  z.enum(['body', 'url', 'path', 'method']).describe('`url` is the address as the sender knows it.'),
  z.strictObject({ text: z.string().max(20) }),
  z.strictObject({ token: z.string().max(40) }),
  z.strictObject({ header: headerName }),
  z.strictObject({ field: path }),
])

const source = z.union([z.strictObject({ header: headerName }), z.strictObject({ field: path })])

const timestamp = z.strictObject({
  from: z.union([z.strictObject({ header: headerName }), z.strictObject({ token: z.string().max(40) })]),
  unit: z.enum(['s', 'ms', 'iso', 'http']).describe('`http` is the date format of HTTP headers.'),
  tolerance: z.int().min(1).max(86_400).describe('Seconds, into the past and the future.'),
})

const hmac = z.strictObject({
  hmac: z.enum(['sha1', 'sha256', 'sha512']),
  secret: credentialName,
  key: z.enum(['utf8', 'base64', 'hex']).default('utf8').describe('How the secret becomes the key.'),
  from: source.describe('Where the signature stands.'),
  split: z
    .strictObject({ by: z.string().min(1).max(4), pair: z.string().min(1).max(4), take: z.string().max(40) })
    .describe('The signature is a list of pairs; all those named `take` are tried.')
    .exactOptional(),
  prefix: z.string().max(40).describe('Stands before the signature and is cut off.').exactOptional(),
  encoding: z.enum(['hex', 'base64']),
  content: z.array(piece).min(1).max(20),
  join: z.string().max(4).default(''),
  each: path.describe('The list whose items are signed one by one.').exactOptional(),
  timestamp: timestamp.exactOptional(),
})

/** The digest of the body that a header states, where the signature covers that header instead of the body. */
const digest = z.strictObject({
  digest: z.enum(['sha256', 'sha512']),
  from: z.strictObject({ header: headerName }),
  prefix: z.string().max(40).exactOptional(),
  encoding: z.enum(['hex', 'base64']),
})

const formField = z.string().min(1).max(40)

export const verifyScheme = z.union([
  hmac,
  digest,
  z.strictObject({ header: headerName, secret: credentialName }).describe('A header that equals the secret.'),
  z
    .strictObject({ field: path, secret: credentialName, each: path.exactOptional() })
    .describe('A field of the body, or of each item, that equals the secret.'),
  z.strictObject({ query: z.string().max(40), secret: credentialName }).describe('A query parameter.'),
  z.strictObject({ bearer: credentialName }).describe('`Authorization: Bearer` with the secret.'),
  z.strictObject({ basic: z.strictObject({ user: credentialName, password: credentialName }) }),
  z
    .strictObject({
      form: z.strictObject({
        honeypot: formField.describe('A field that people do not see.'),
        answers: z
          .array(formField)
          .min(1)
          .max(60)
          .describe('Fields of which a person fills in one at least; a form without is set aside.')
          .exactOptional(),
      }),
    })
    .describe('A form that anybody may send: what seems not to come from a person is set aside.'),
  z
    .strictObject({ refetch: z.literal(true) })
    .describe('Nothing is signed: the message only says what to fetch from the vendor.'),
  z
    .strictObject({ polled: z.literal(true) })
    .describe('Nothing is taken from outside: the entry reads what is polled.'),
  z
    .strictObject({ subscribed: z.literal(true) })
    .describe('Nothing is taken from outside: the entry reads what a broker delivers.'),
])

export type HmacScheme = z.infer<typeof hmac>
export type DigestScheme = z.infer<typeof digest>
export type VerifyScheme = z.infer<typeof verifyScheme>
export type Piece = z.infer<typeof piece>
