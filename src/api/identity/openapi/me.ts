/** The OpenAPI description of `/api/v1/identity/me`. */
import { z } from 'zod'
import { newPassword } from '../../../identity/secrets/passwords.ts'
import { text } from '../../../shapes/text.ts'
import { described } from '../../openapi/described.ts'
import { reference, schemaRef, type PathItem, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { body, json, success } from '../../openapi/wrappers.ts'
import { TAG } from './login.ts'

export const meChange = z
  .strictObject({
    Name: text(200).exactOptional(),
    Password: newPassword.describe('Needs CurrentPassword.').exactOptional(),
    CurrentPassword: text(1_000).exactOptional(),
  })
  .refine(({ Password, CurrentPassword }) => Password === undefined || CurrentPassword !== undefined, {
    path: ['CurrentPassword'],
    error: 'must be your current password',
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .describe('What users may change of themselves.')

export const meSchemas: { readonly [name: string]: Schema } = { 'Me.Patch': described(meChange) }

const answer = {
  description: 'The user or token that makes the request.',
  headers: {
    'X-Token-Expires': {
      description:
        'When the token, or the value sent, expires. On every answer in the last 14 days of a token, or to a value that was replaced.',
      required: false,
      schema: { type: 'string', format: 'date-time' },
    },
  },
  content: json(success(schemaRef('Me'))),
}

export const mePaths: { readonly [path: string]: PathItem } = {
  '/api/v1/identity/me': {
    get: {
      operationId: 'getMe',
      summary: 'Get the current user or token',
      tags: [TAG],
      responses: { 200: answer, ...errors() },
    },
    patch: {
      operationId: 'patchMe',
      summary: 'Change your name or password',
      description:
        'A new password ends every session of the user; the session of this request goes on with a new cookie. Tokens get a 403.',
      tags: [TAG],
      parameters: [reference('parameters', 'Reason')],
      requestBody: body(json(schemaRef('Me.Patch'), { Name: 'Ada' })),
      responses: { 200: answer, ...errors(413, 415) },
    },
  },
}
