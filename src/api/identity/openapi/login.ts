/** The OpenAPI description of login and logout (docs/interface.md, "Login and logout"). */
import { z } from 'zod'
import { LONGEST_PASSWORD } from '../../../identity/secrets/passwords.ts'
import { text } from '../../../shapes/text.ts'
import { described } from '../../openapi/described.ts'
import { schemaRef, type PathItem, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { closed, ROLES } from '../../openapi/service-object.ts'
import { body, json, success } from '../../openapi/wrappers.ts'

export const TAG = 'Identity'

export const loginBody = z
  .strictObject({
    Email: text(320),
    Password: text(LONGEST_PASSWORD),
    CompanyKey: text(100)
      .describe('Key of the company. May be left out where the installation has only one.')
      .exactOptional(),
  })
  .describe('The credentials of a login.')

export const loginSchemas: { readonly [name: string]: Schema } = {
  Me: {
    ...closed({
      Id: { type: 'string', description: 'Key of the user or token.' },
      Email: { type: ['string', 'null'], description: 'Of users only.' },
      Name: { type: 'string' },
      Company: closed({ Id: keySchema('company'), Name: { type: 'string' } }),
      Roles: ROLES,
    }),
    description: 'A user, or a token.',
  },
  Login: described(loginBody),
}

const setsCookie = {
  'Set-Cookie': {
    description: 'The session cookie `.svc.auth`, set or cleared.',
    schema: { type: 'string', pattern: '^\\.svc\\.auth=' },
  },
}

const example = {
  Email: 'ada@example.com',
  Password: 'correct horse battery staple',
  CompanyKey: 'company-01k0000000000000000000000a',
}

const failures = errors(413, 415)

export const loginPaths: { readonly [path: string]: PathItem } = {
  '/api/v1/identity/login': {
    post: {
      operationId: 'login',
      summary: 'Log in',
      description:
        'Sets the session cookie `.svc.auth`. A 401 has the same text for every cause; a 429 comes after ten failures a minute.',
      tags: [TAG],
      security: [],
      requestBody: body(json(schemaRef('Login'), example)),
      responses: {
        200: {
          description: 'The user that has logged in.',
          headers: setsCookie,
          content: json(success(schemaRef('Me'))),
        },
        ...failures,
      },
    },
  },
  '/api/v1/identity/logout': {
    post: {
      operationId: 'logout',
      summary: 'Log out',
      description:
        'Ends the session of the cookie at once, everywhere, and clears the cookie. May be repeated.',
      tags: [TAG],
      security: [],
      responses: {
        200: {
          description: 'The session has ended.',
          headers: setsCookie,
          content: json(success(closed({})), { Success: true, Data: {} }),
        },
        ...errors(),
      },
    },
  },
}
