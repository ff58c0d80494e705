/** The OpenAPI description of login and logout (docs/interface.md, "Login and logout"). */
import { schemaRef, type PathItem, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { closed, ROLES } from '../../openapi/service-object.ts'
import { body, json, success } from '../../openapi/wrappers.ts'

export const TAG = 'Identity'

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
  Login: {
    ...closed(
      {
        Email: { type: 'string', maxLength: 320 },
        Password: { type: 'string', maxLength: 256 },
        CompanyKey: {
          type: 'string',
          maxLength: 100,
          description: 'Key of the company. May be left out where the installation has only one.',
        },
      },
      ['Email', 'Password'],
    ),
    description: 'The credentials of a login.',
  },
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
