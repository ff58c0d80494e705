/** What the operations of imports share. */
import { reference, schemaRef, type Parameter, type Response, type Schema } from '../../openapi/document.ts'
import { json, success, writeHeaders } from '../../openapi/wrappers.ts'

export const query = (name: string, description: string, schema: Schema): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
})
export const writing = [reference('parameters', 'IdempotencyKey'), reference('parameters', 'Reason')]
export const accepted: Response = {
  description: 'The import; the work goes on.',
  headers: writeHeaders('Location'),
  content: json(success(schemaRef('Import'))),
}
