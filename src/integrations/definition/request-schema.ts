/** A request to another system. */
import { z } from 'zod'
import { expression } from './expression-schema.ts'
import { headerName, path } from './names.ts'
import { template } from './template-schema.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'PROPPATCH', 'MKCOL'] as const

export const request = z.strictObject({
  method: z.enum(METHODS),
  path: z
    .string()
    .regex(/^\/\S{0,500}$/, 'must begin with /')
    .describe('After the base address; `{name}` is filled from `parameters`, percent-encoded.'),
  parameters: z.record(z.string().max(40), expression).exactOptional(),
  query: z.record(z.string().max(60), expression).exactOptional(),
  headers: z.record(headerName, expression).exactOptional(),
  body: template.exactOptional(),
  encoding: z
    .enum(['json', 'form', 'xml'])
    .default('json')
    .describe('`xml`: members are elements, those that begin with @ attributes.'),
})

/** A look for what may be there already: the first item, and what it is known by. */
export const find = z.strictObject({
  request,
  items: path.describe('The list in the answer; `$` where the answer is the item.'),
  match: z
    .record(path, expression)
    .describe('Which of the items is meant: paths in it, and what must stand there; else the first.')
    .exactOptional(),
  id: expression.describe('What the item found is known by there.'),
})

export type IntegrationRequest = z.infer<typeof request>
export type Find = z.infer<typeof find>
