/** Answers in SCIM's own wrappers (RFC 7644, 3.4.2 and 3.12), as `application/scim+json`. */
import type { Response } from 'express'
import { Invalid } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import { ScimInvalid } from '../../integrations/scim/invalid.ts'
import type { ScimMapping } from '../../integrations/scim/mapping.ts'
import { shownDetails, type Problem } from '../http/problems.ts'
import { send } from '../http/send.ts'
import { doorOf } from './door.ts'

export const SCIM_TYPE = 'application/scim+json; charset=utf-8'
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0'

type Headers = Readonly<Record<string, string>>
type Document = { readonly [name: string]: Json }

export function sendScim(response: Response, status: number, body: Document, headers: Headers = {}): void {
  send(response, status, headers, SCIM_TYPE, JSON.stringify(body))
}

/** @param startIndex counts from 1 */
export function sendList(
  response: Response,
  resources: readonly Document[],
  {
    total = resources.length,
    startIndex = 1,
  }: { readonly total?: number; readonly startIndex?: number } = {},
): void {
  sendScim(response, 200, {
    schemas: [`${MESSAGES}:ListResponse`],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  })
}

export function sendScimProblem(response: Response, problem: Problem, error: unknown): void {
  const { status, message, details = [], headers } = problem
  const mapping = doorOf(response)?.mapping
  const scimType = scimTypeOf(status, error, details.length > 0)
  const faults = shownDetails(details, 10)
    .filter(({ Field }) => Field !== '')
    .map(({ Field, Message }) => `${nameOf(mapping, Field)} ${Message}`)
  const detail = [...(error instanceof Invalid || status === 409 ? faults : [])].join('; ')
  const body = {
    schemas: [`${MESSAGES}:Error`],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: detail === '' ? message : detail,
  }
  sendScim(response, status, body, headers)
}

function scimTypeOf(status: number, error: unknown, hasFaults: boolean): string | undefined {
  if (error instanceof ScimInvalid) return error.scimType
  if (status === 409 && hasFaults) return 'uniqueness'
  return status === 400 ? 'invalidValue' : undefined
}

/** Directories know fields by their attributes. */
function nameOf(mapping: ScimMapping | undefined, field: string): string {
  return mapping?.all.find((one) => one.field === field)?.name ?? field
}
