/** What an integration sends: which changes of records, as which requests, and what is learnt from the answers. */
import { z } from 'zod'
import { expression } from './expression-schema.ts'
import { entryName, headerName, path } from './names.ts'
import { find, request } from './request-schema.ts'

export const sent = z.strictObject({
  name: entryName,
  description: z.string().max(500).exactOptional(),
  object: z.string().max(40),
  on: z
    .array(z.string().max(120))
    .min(1)
    .max(20)
    .describe('Names of events, such as invoice.workflow.issued.'),
  filter: z
    .string()
    .max(1000)
    .describe('A filter that the record must pass when it is sent.')
    .exactOptional(),
  needs: z
    .array(path)
    .min(1)
    .max(10)
    .describe('What must have a value before it is sent, such as Tenant.Link: it waits for that.')
    .exactOptional(),
  fields: z
    .array(z.string().max(60))
    .min(1)
    .max(100)
    .describe('Changes of other fields alone are not sent.')
    .exactOptional(),
  request,
  update: request
    .describe('Instead of `request`, for records that the other system knows; `$.link` is their Id there.')
    .exactOptional(),
  idempotency: z
    .strictObject({ header: headerName })
    .describe('The header by which the other system knows a repeated request.')
    .exactOptional(),
  upsert: z
    .literal(true)
    .describe('The other system makes one of repeats by what is in them.')
    .exactOptional(),
  find: find
    .describe('Asked before a second try, where the first may have arrived and cannot be repeated safely.')
    .exactOptional(),
  answer: z
    .strictObject({ link: expression })
    .describe('The Id that the record has in the other system, from the answer.')
    .exactOptional(),
  there: z
    .array(z.int().min(300).max(499))
    .max(10)
    .describe('Answers that say that it is there already, as it should be: as good as 2xx.')
    .exactOptional(),
  settled: z
    .array(z.int().min(200).max(499))
    .max(10)
    .describe(
      'Answers that are final beside 2xx and not tried again, such as 400 of an address that opted out.',
    )
    .exactOptional(),
})

export type Sent = z.infer<typeof sent>
