/** Bodies of SCIM: JSON, as `application/scim+json` or plain. */
import type { Request, RequestHandler } from 'express'
import type { Json } from '../../domain/json.ts'
import { ScimInvalid } from '../../integrations/scim/invalid.ts'
import { bodyBytes, JSON_LIMIT, rawBody } from '../http/body/json-body.ts'
import { checkJsonText } from '../http/body/json-text.ts'
import { Refusal } from '../http/problems.ts'

const TYPES = /^application\/(scim\+json|json)\s*(;|$)/i

const parse: RequestHandler = (request, _response, next) => {
  const bytes = bodyBytes(request)
  const type = request.headers['content-type']
  if (bytes.length > 0 && type !== undefined && !TYPES.test(type))
    throw new Refusal({
      status: 415,
      code: 'VALIDATION_ERROR',
      message: 'the body must be application/scim+json',
    })
  if (bytes.length === 0) throw new ScimInvalid('invalidSyntax', 'a body is required')
  checkJsonText(bytes)
  try {
    request.body = JSON.parse(bytes.toString('utf8')) as Json
  } catch (error) {
    throw new ScimInvalid('invalidSyntax', `the body is not valid JSON: ${(error as Error).message}`)
  }
  next()
}

export const scimBody = (): RequestHandler[] => [...rawBody(JSON_LIMIT), parse]

export const bodyOf = (request: Request): Json => request.body as Json
