/** What an integration asks for by itself, again and again: what was changed since it last asked. */
import { z } from 'zod'
import { expression } from './expression-schema.ts'
import { entryName, headerName, path } from './names.ts'
import { request } from './request-schema.ts'

const page = z.union([
  z
    .strictObject({
      next: path,
      resume: path.describe('On the last page: where the next poll begins.').exactOptional(),
    })
    .describe('A whole address in the answer.'),
  z.strictObject({ cursor: path, parameter: z.string().max(60) }).describe('Sent back as a parameter.'),
  z
    .strictObject({ number: z.string().max(60), first: z.int().min(0).max(1).default(1) })
    .describe('The parameter that counts pages; an empty page is the last.'),
  z
    .strictObject({ offset: z.string().max(60) })
    .describe('The parameter that counts items; an empty page is the last.'),
  z
    .strictObject({ after: expression, parameter: z.string().max(60), more: path })
    .describe('The Id of the last item, as long as `more` is true.'),
])

export const polled = z.strictObject({
  name: entryName,
  description: z.string().max(500).exactOptional(),
  every: z.int().min(60).max(604_800).describe('Seconds.'),
  request,
  items: path.default('$').describe('The list in the answer; left out: the answer is the list.'),
  walk: z
    .literal('webdav')
    .describe('The folder at `request` and all below it are listed; what has changed since is what comes.')
    .exactOptional(),
  skip: z
    .array(z.string().min(1).max(200))
    .max(20)
    .describe('Names of files that are passed over, where folders are listed.')
    .exactOptional(),
  page: page.exactOptional(),
  since: z
    .strictObject({
      from: expression.describe('Of an item: when it was changed, as a timestamp.'),
      send: z.union([
        z.strictObject({ parameter: z.string().max(60) }),
        z.strictObject({ header: headerName }),
      ]),
      as: z.enum(['iso', 'unix', 'http', 'date']),
      atFirst: z.iso.datetime().describe('Asked for the first time; left out: everything.').exactOptional(),
      overlap: z
        .int()
        .min(0)
        .max(86_400)
        .describe('Seconds that are asked for once more, for what is shown late.'),
    })
    .describe('Only what was changed since the last time is asked for.')
    .exactOptional(),
  as: entryName.describe('The entry of `receive` that reads each item.'),
})

export type Polled = z.infer<typeof polled>
