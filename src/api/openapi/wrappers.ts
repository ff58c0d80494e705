/** Pieces that operations are put together from. */
import { reference, schemaRef, type Content, type MediaType, type Response, type Schema } from './document.ts'

/** The Success wrapper around that data. */
export function success(data: Schema, more: { readonly [name: string]: Schema } = {}): Schema {
  return {
    type: 'object',
    properties: { Success: { const: true }, Data: data, ...more },
    required: ['Success', 'Data', ...Object.keys(more)],
    additionalProperties: false,
  }
}

/** That schema as the JSON body of a request or an answer. */
export function json(schema: Schema, example?: unknown): { readonly 'application/json': MediaType } {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
}

/** A page of these in the Success list wrapper; the example is one of them. */
export function page(items: Schema, example?: unknown): Content {
  const pagination = { Page: 1, PageSize: 25, TotalRecords: 1, TotalPages: 1 }
  return json(
    success({ type: 'array', items }, { Pagination: schemaRef('Pagination') }),
    example && { Success: true, Data: [example], Pagination: pagination },
  )
}

/** The parameters of what comes in pages. */
export const PAGING = [reference('parameters', 'Page'), reference('parameters', 'PageSize')]

/** A request body that must be there. */
export function body(content: Content): { readonly required: true; readonly content: Content } {
  return { required: true, content }
}

/** Of an answer that is a file. */
export const fileHeaders: Response['headers'] & object = {
  'Content-Disposition': {
    description: 'The name to keep the file under.',
    schema: { type: 'string', pattern: '^attachment; filename="[A-Za-z0-9_.-]+"$' },
  },
}

/** References to response headers. */
export function named(headers: readonly string[]): Response['headers'] & object {
  return Object.fromEntries(headers.map((name) => [name, reference('headers', name)]))
}

/** Headers of the answer to a write, beside those that are named. */
export function writeHeaders(...more: readonly string[]): Response['headers'] & object {
  return named([...more, 'Daybook-Position', 'Daybook-Read-Lag', 'Idempotency-Replayed'])
}
