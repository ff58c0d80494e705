/** That the other system is asked to say when something changes: for a time, and again before that ends. */
import { z } from 'zod'
import { expression } from './expression-schema.ts'
import { credentialName, entryName } from './names.ts'
import { find, request } from './request-schema.ts'

export const watched = z.strictObject({
  name: entryName,
  description: z.string().max(500).exactOptional(),
  as: entryName.describe('The entry of `receive` whose address is given.'),
  secret: credentialName.describe('What comes back with each message; without a value nothing is asked for.'),
  days: z.int().min(1).max(180).describe('For how long it is asked for; it is renewed after half of that.'),
  request: request.describe('Asks for it; `$.address`, `$.secret` and `$.until` are to be sent.'),
  renewal: request.describe('Makes it last to `$.until`; `$.link` is its Id there.'),
  end: request.describe('Ends it.'),
  find: find
    .describe('What is left of an earlier one, and ended before another is asked for.')
    .exactOptional(),
  answer: z
    .strictObject({
      link: expression,
      until: expression
        .describe('Where the other system says another time than was asked for.')
        .exactOptional(),
    })
    .describe('Its Id there, from the answer, and when it ends.'),
})

export type Watched = z.infer<typeof watched>
